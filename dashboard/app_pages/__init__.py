"""Pages of the dashboard: a Streamlit view each, with models in plain Python."""
