"""The program that runs inside a sandbox as its first process.

Its modules travel as code objects over the control socket, so that no file of runner has to be
mounted. They import only what the interpreter starts with anyway: each further import would be paid
by every sandbox.
"""
