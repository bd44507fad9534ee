# SPDX-License-Identifier: Apache-2.0
"""The panels docked around the drawing; they talk through the document, never to each other."""
