"""sessions.py WAVELIFT PROGRAM SOURCE SESSIONS [NAME...]: gdb's sessions of a file, or those named, and what they have to print.

The file SESSIONS has sessions, each of them begun by a line "# session NAME: ARGUMENTS OF THE PROGRAM". Lines behind it are gdb's commands;
"{place}" stands for the line of SOURCE that has the comment "place: place". A line "=> PATTERN" is a regular expression that has to match what
gdb prints from there on, behind what the pattern before it has matched; "!> PATTERN" one that matches nowhere in the session's output. If the first
argument is "replay", the program runs with the others and is recorded, and the session is one of the replay; if it is "attach", gdb attaches to the
program when that has printed a line. Lines that begin with "[lds] " count only where the compiler says where variables in LDS are, which clang 19
does and clang 21 does not: SESSIONS_WITHOUT=lds leaves them out."""
import os
import re
import subprocess
import sys
import tempfile

wavelift, program, source, path = sys.argv[1:5]
only = sys.argv[5:]
places = {}
with open(source, encoding="utf-8") as file:
    for number, text in enumerate(file, 1):
        found = re.search(r"// place: (.*)", text)
        if found:
            places[found[1].strip()] = str(number)


def fill(text):
    return re.sub(r"\{([a-z ]+)\}", lambda match: places.get(match[1], match[0]), text)


def read_sessions():
    sessions = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line.startswith("[lds] "):
                if os.environ.get("SESSIONS_WITHOUT") == "lds":
                    continue
                line = line[6:]
            begin = re.match(r"# session ([\w -]+): *(.*)$", line)
            if begin:
                sessions.append((begin[1], begin[2].split(), [], [], []))
            elif line.startswith("=> "):
                sessions[-1][3].append((len(sessions[-1][2]), fill(line[3:])))
            elif line.startswith("!> "):
                sessions[-1][4].append(fill(line[3:]))
            elif line and not line.startswith("#"):
                sessions[-1][2].append(fill(line))
    return sessions


def less_to_read(folder):
    """gdb reads the symbols of the libraries once for all sessions, and no debugging information of libc: each is a third of a session's time."""
    return ["-iex", f"set index-cache directory {folder}/index", "-iex", "set index-cache enabled on", "-iex", f"set debug-file-directory {folder}"]


def run(arguments, commands, folder):
    script = os.path.join(folder, "commands")
    with open(script, "w", encoding="utf-8") as file:
        print("set pagination off\nset confirm off\nset width 0\nset print thread-events off", file=file)
        for command in commands:
            print(command, file=file)
    first, command = arguments[0] if arguments else "", [wavelift, "gdb", "-nx", "-batch", *less_to_read(folder), "-x", script]
    running = None
    if first == "replay":
        recording = os.path.join(folder, "recording")
        subprocess.run([wavelift, "record", "-o", recording, program, *arguments[1:]], capture_output=True, timeout=300, check=True)
        command += ["--", wavelift, "replay", recording]
    elif first == "attach":
        running = subprocess.Popen([wavelift, "run", program, *arguments[1:]], stdout=subprocess.PIPE)
        running.stdout.readline()
        command += ["-p", str(running.pid), "--"]
    else:
        command += ["--", program, *arguments]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode() + (error.stderr or b"").decode() + "\nTHE SESSION DID NOT END\n"
    finally:
        if running:
            running.kill()
            running.communicate()
    return result.stdout + result.stderr


def check(session, folder):
    name, arguments, commands, expected, forbidden = session
    output, at = run(arguments, commands, folder), 0
    failures = []
    for _, pattern in expected:
        found = re.compile(pattern, re.MULTILINE).search(output, at)
        if not found:
            failures.append(f"nothing matches {pattern!r} from character {at} on")
            break
        at = found.end()
    failures += [f"something matches {pattern!r}" for pattern in [*forbidden, "^THE SESSION DID NOT END$"] if re.search(pattern, output, re.MULTILINE)]
    for failure in failures:
        print(f"{name}: {failure}")
    if failures:
        print(f"--- output of {name} ---\n{output}\n---")
    return not failures


def main():
    sessions = [session for session in read_sessions() if not only or session[0] in only]
    if not sessions:
        sys.exit("there is no such session")
    with tempfile.TemporaryDirectory() as folder:
        bad = [session[0] for session in sessions if not check(session, folder)]
    print(f"{len(sessions) - len(bad)} of {len(sessions)} sessions passed")
    sys.exit(1 if bad else 0)


main()
