"""What can go wrong with single job types (domain 20), each under the sub-domain of its type.

Made from codes.yaml by ``python -m app.regenerate_codes``.
"""

from engine.model.listed_code import ListedCode

NO_INTERPRETER = ListedCode(__file__, -12003001000, retryable=False)
NO_JVM = ListedCode(__file__, -12004001000, retryable=False)
JAVA_TOO_OLD = ListedCode(__file__, -12004002000, retryable=False)
NO_JAR = ListedCode(__file__, -12004003000)
ONE_OF_BOTH = ListedCode(__file__, -12004004000, retryable=False)
FROM_WITHOUT_AGAIN = ListedCode(__file__, -12008001000, retryable=False)
NO_VALUE = ListedCode(__file__, -12008002000, retryable=False)
ONE_OF_THREE = ListedCode(__file__, -12009001000, retryable=False)
NOT_A_TIME = ListedCode(__file__, -12009002000, retryable=False)
NO_INTERVAL = ListedCode(__file__, -12009003000, retryable=False)
NO_MEMBERS = ListedCode(__file__, -12010001000, retryable=False)
NO_TASK = ListedCode(__file__, -12011001000, retryable=False)
FILE_TOO_BIG = ListedCode(__file__, -12012001000, retryable=False)
NOT_TEXT = ListedCode(__file__, -12012002000, retryable=False)
TOO_MANY_PARTS = ListedCode(__file__, -12015001000, retryable=False)
CHOICES_UNFIT = ListedCode(__file__, -12030002000, retryable=False)
NO_DEADLINE = ListedCode(__file__, -12030003000, retryable=False)
