"""The embedded service: the whole ladder as processes of one command.

service     the parts, the house bots, and the folder with all that lasts
supervisor  starts the processes, and starts again what ends
settings    checks the settings before one of them starts
hosting     the host of its own, and the sample bot that is uploaded there
"""
