"""The dashboard's door: which study, which page. Start it with `esr app` or `streamlit run app.py`."""

import streamlit as st

from pages.ui import routes, session

# Drawn here because Streamlit fetches named icons for the browser tab from the net.
ICON = ("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>"
        "<rect width='32' height='32' rx='6' fill='#0069A8'/>"
        "<path d='M6 10h17M6 16h11M6 22h14' stroke='#fff' stroke-width='3.5' stroke-linecap='round'/>"
        "<circle cx='25' cy='16' r='3' fill='#F5C04A'/></svg>")

st.set_page_config(page_title="ESR Explorer", page_icon=ICON, layout="wide", initial_sidebar_state=272,
                   menu_items={"About": "ESR Explorer: see what retrieval measures do."})

page = routes.navigation()
session.choose()
page.run()
