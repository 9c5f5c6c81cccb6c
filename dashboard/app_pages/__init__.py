"""Pages of the dashboard: a view in Streamlit each, and models without a screen."""
