"""All that is used of Streamlit's inside; :mod:`.contract` lists it."""
