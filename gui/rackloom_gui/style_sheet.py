# SPDX-License-Identifier: Apache-2.0
"""The few style rules where Fusion's own drawing is heavy, or too faint on dark ground.

Bars, docks, headers and scroll bars are made quiet; what one can type into or tick gets an
outline of 3:1, which Fusion (it darkens the window colour) cannot give in a dark theme.
"""

from importlib.resources import files

from rackloom_gui.tokens import Tokens, mix


def style_sheet_of(tokens: Tokens) -> str:
    """The application's style sheet in the colours of a theme."""
    return _bars(tokens) + _lists(tokens) + _fields(tokens) + _ticks(tokens)


def _picture(name: str, tokens: Tokens) -> str:
    """A style sheet can only show a file, so these few exist once for each theme."""
    path = files("rackloom_resources") / "icons" / "style" / f"{name}-{tokens.name}.svg"
    return f'url("{str(path).replace(chr(92), "/")}")'


def _bars(tokens: Tokens) -> str:
    surface, raised, border = tokens.surface.name(), tokens.raised.name(), tokens.border.name()
    hover = mix(tokens.raised, tokens.text, 0.08).name()
    pressed = mix(tokens.raised, tokens.text, 0.16).name()
    checked = mix(tokens.raised, tokens.accent, 0.28).name()
    return f"""
QToolTip {{ color: {tokens.tooltip_text.name()}; background: {tokens.tooltip.name()};
  border: 1px solid {border}; padding: 4px 6px; }}
QToolBar {{ background: {raised}; border: 0; border-bottom: 1px solid {border};
  padding: 3px 6px; spacing: 2px; }}
QToolBar::separator {{ background: {border}; width: 1px; margin: 4px 5px; }}
QToolBar QToolButton {{ border: 1px solid transparent; border-radius: 4px; padding: 4px; }}
QToolBar QToolButton:hover:enabled {{ background: {hover}; }}
QToolBar QToolButton:pressed {{ background: {pressed}; }}
QToolBar QToolButton:checked {{ background: {checked}; }}
QToolBar QToolButton:focus {{ border-color: {tokens.accent.name()}; }}
QMainWindow::separator {{ background: {border}; width: 1px; height: 1px; }}
QMainWindow::separator:hover {{ background: {tokens.accent.name()}; }}
QDockWidget {{ titlebar-close-icon: {_picture("close", tokens)};
  titlebar-normal-icon: {_picture("float", tokens)}; }}
QDockWidget::title {{ background: {surface}; padding: 6px 8px; text-align: left;
  border-bottom: 1px solid {border}; }}
QStatusBar {{ background: {raised}; border-top: 1px solid {border}; }}
QStatusBar::item {{ border: 0; }}
QMenuBar {{ background: {raised}; border-bottom: 1px solid {border}; }}
QMenuBar::item {{ padding: 4px 8px; background: transparent; border-radius: 3px; }}
QMenuBar::item:selected {{ background: {hover}; }}
QMenuBar::item:pressed {{ background: {checked}; }}
QMenu {{ background: {raised}; border: 1px solid {border}; padding: 4px; }}
QMenu::separator {{ background: {border}; height: 1px; margin: 4px 6px; }}
"""


def _lists(tokens: Tokens) -> str:
    surface, border = tokens.surface.name(), tokens.border.name()
    return f"""
QHeaderView::section {{ background: {surface}; color: {tokens.text_muted.name()};
  border: 0; border-right: 1px solid {border}; border-bottom: 1px solid {border};
  padding: 4px 6px; font-weight: normal; }}
QTreeView::item, QListView::item {{ padding: 2px 0; }}
QScrollBar {{ background: {surface}; border: 0; margin: 0; }}
QScrollBar:vertical {{ width: 12px; }}
QScrollBar:horizontal {{ height: 12px; }}
QScrollBar::handle {{ background: {tokens.border_strong.name()}; border-radius: 3px;
  margin: 3px; }}
QScrollBar::handle:hover {{ background: {tokens.text_muted.name()}; }}
QScrollBar::handle:vertical {{ min-height: 28px; }}
QScrollBar::handle:horizontal {{ min-width: 28px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: none; }}
QAbstractScrollArea::corner {{ background: {surface}; }}
"""


def _fields(tokens: Tokens) -> str:
    base, outline = tokens.base.name(), tokens.border_strong.name()
    button = mix(tokens.raised, tokens.text, 0.08).name()
    return f"""
QLineEdit, QAbstractSpinBox, QComboBox {{ background: {base}; border: 1px solid {outline};
  border-radius: 3px; padding: 2px 4px; min-height: 18px; }}
QAbstractSpinBox {{ padding: 0; min-height: 22px; max-height: 22px; }}
QComboBox {{ background: {tokens.raised.name()}; }}
TextArea {{ background: {base}; border: 1px solid {outline}; border-radius: 3px; padding: 1px; }}
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, TextArea:focus {{
  border-color: {tokens.accent.name()}; }}
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled {{
  background: {tokens.surface.name()}; border-color: {tokens.border.name()}; }}
QLineEdit[invalid="true"] {{ color: {tokens.error_text.name()};
  background: {mix(tokens.base, tokens.error, 0.1).name()};
  border-color: {tokens.error.name()}; }}
QAbstractSpinBox QLineEdit, QComboBox QLineEdit, QAbstractItemView QLineEdit {{
  background: transparent; border: 0; border-radius: 0; padding: 0; min-height: 0; }}
QAbstractItemView QLineEdit {{ background: {base}; }}
QComboBox::drop-down {{ border: 0; width: 20px; }}
QComboBox::down-arrow {{ image: {_picture("down", tokens)}; width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{ background: {base}; border: 1px solid {outline}; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ subcontrol-origin: border;
  width: 18px; border: 0; margin: 1px; background: transparent; }}
QAbstractSpinBox::up-button {{ subcontrol-position: top right; }}
QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; }}
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover {{
  background: {button}; }}
QAbstractSpinBox::up-arrow {{ image: {_picture("up", tokens)}; width: 10px; height: 10px; }}
QAbstractSpinBox::down-arrow {{ image: {_picture("down", tokens)};
  width: 10px; height: 10px; }}
"""


def _ticks(tokens: Tokens) -> str:
    box = "QCheckBox::indicator, QAbstractItemView::indicator, QGroupBox::indicator"
    on, partly = (
        ", ".join(f"{part.strip()}:{state}" for part in box.split(","))
        for state in ("checked", "indeterminate")
    )
    accent, outline = tokens.accent.name(), tokens.border_strong.name()
    return f"""
{box}, QRadioButton::indicator {{ width: 14px; height: 14px; border: 1px solid {outline};
  border-radius: 3px; background: {tokens.base.name()}; }}
QRadioButton::indicator {{ border-radius: 8px; }}
QCheckBox::indicator:focus, QRadioButton::indicator:focus {{ border-color: {accent}; }}
{on} {{ background: {accent}; border-color: {accent}; image: {_picture("check", tokens)}; }}
{partly} {{ background: {accent}; border-color: {accent};
  image: {_picture("partly", tokens)}; }}
QRadioButton::indicator:checked {{ background: {accent}; border-color: {accent};
  image: {_picture("dot", tokens)}; }}
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled {{
  background: {tokens.surface.name()}; border-color: {tokens.border.name()}; }}
"""
