"""All that is used of Streamlit's inside; :mod:`.private_names` lists it."""
