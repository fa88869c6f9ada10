"""Frame in, Plotly figure out: one module per kind of figure, `style` for what they share.

The title says what the data show, the subtitle how it was measured, and labels sit on the marks. Every figure
carries its alternative text in `layout.meta["alt"]`. Nothing here knows Streamlit; show the figures with
`theme=None`, or Streamlit replaces the template.
"""
