"""The command `wavelift`: becomes the program of that name."""

import os
import sys

from wavelift import command


def main():
    os.execv(command(), ["wavelift", *sys.argv[1:]])


if __name__ == "__main__":
    main()
