# SPDX-License-Identifier: BSD-3-Clause
"""For git, all tests have one configuration: nothing of the user's, and nobody's checkout is
dubious, such as one of another user in a container."""

import os

SETTINGS = {"safe.directory": "*", "user.name": "A", "user.email": "a@example.org"}

os.environ |= {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": str(len(SETTINGS)),
}
for number, (name, value) in enumerate(SETTINGS.items()):
    os.environ |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
