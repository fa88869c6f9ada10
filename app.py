"""The dashboard's door: which study, which page. Start it with `esr app` or `streamlit run app.py`."""

import streamlit as st

from pages.ui import routes, session, theme

# Drawn here because Streamlit fetches named icons for the browser tab from the net.
SIGN = ("<rect width='32' height='32' rx='6' fill='#0069A8'/>"
        "<path d='M6 10h17M6 16h11M6 22h14' stroke='#fff' stroke-width='3.5' stroke-linecap='round'/>"
        "<circle cx='25' cy='16' r='3' fill='#F5C04A'/>")
ICON = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>{SIGN}</svg>"
LOGO = ("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 156 32' width='156' height='32'>" + SIGN +
        "<text x='43' y='22.5' font-family='Source Sans 3,Segoe UI,Helvetica Neue,Arial,sans-serif' font-size='19' "
        f"font-weight='600' textLength='108' lengthAdjust='spacingAndGlyphs' fill='{theme.mode().ink}'>ESR Explorer"
        "</text></svg>")  # an image has no web fonts: whatever stands in for Source Sans is fitted to the place

st.set_page_config(page_title="ESR Explorer", page_icon=ICON, layout="wide", initial_sidebar_state=272,
                   menu_items={"About": "ESR Explorer: see what retrieval measures do."})

st.logo(LOGO, icon_image=ICON, size="large")

page = routes.navigation()
session.choose()
page.run()
