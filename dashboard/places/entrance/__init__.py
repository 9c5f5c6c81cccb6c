"""Who gets in: the door, the cookie of a place, sign-ins and sign-outs."""
