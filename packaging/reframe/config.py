# SPDX-License-Identifier: BSD-3-Clause
"""A configuration of ReFrame for one machine without a scheduler; sites have their own."""

site_configuration = {
    "systems": [
        {
            "name": "here",
            "descr": "This machine",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "local",
                    "descr": "Processes without a scheduler",
                    "scheduler": "local",
                    "launcher": "local",
                    "environs": ["gnu"],
                    "max_jobs": 1,  # measurements do not run beside each other
                }
            ],
        }
    ],
    "environments": [
        {"name": "gnu", "cc": "gcc", "cxx": "g++", "features": ["pollux-libgomp"]},
    ],
}
