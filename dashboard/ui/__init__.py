"""Streamlit widgets and components that pages share."""
