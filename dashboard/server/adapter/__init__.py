"""Everything private that Coterie uses of Streamlit; :mod:`.private_names` lists it."""
