"""What all resource types have in common (domain 30, sub-domain 00).

Made from resources.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

CHECK_BROKEN = ListedCode(__file__, -13000001000)
RESOURCE_UNFIT = ListedCode(__file__, -13000002000, retryable=False)
