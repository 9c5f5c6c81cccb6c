"""Shared Streamlit widgets and components."""
