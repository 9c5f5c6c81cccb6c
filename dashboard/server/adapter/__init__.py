"""All that is used of Streamlit's and uvicorn's inside; :mod:`.contract` lists it."""
