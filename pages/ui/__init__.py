"""Shared Streamlit pieces of the pages."""
