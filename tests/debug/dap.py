"""dap.py WAVELIFT PROGRAM SOURCE: a session of gdb's DAP server (gdb 14 and later), as an editor has it, in a kernel.

Exits with 77 if gdb has no such server."""
import json
import re
import subprocess
import sys

wavelift, program, source = sys.argv[1:4]
with open(source, encoding="utf-8") as file:
    LINES = {match[1]: number for number, text in enumerate(file, 1) if (match := re.search(r"// place: (.*)", text))}


class Server:
    def __init__(self):
        self.process = subprocess.Popen([wavelift, "gdb", "-nx", "-q", "-i", "dap", "--"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sequence, self.events = 0, []

    def send(self, command, **arguments):
        self.sequence += 1
        text = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()
        return self.sequence

    def read(self):
        length = 0
        while (line := self.process.stdout.readline()).strip():
            name, value = line.split(b":", 1)
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise SystemExit("the server has ended")
        return json.loads(self.process.stdout.read(length))

    def answer(self, sequence):
        """The answer to a request; events that come before are kept."""
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
            elif message["type"] == "response" and message["request_seq"] == sequence:
                if not message["success"]:
                    raise SystemExit(f"{message['command']}: {message.get('message')}")
                return message.get("body", {})

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def wait(self, name):
        while True:
            for number, event in enumerate(self.events):
                if event["event"] == name:
                    del self.events[: number + 1]
                    return event.get("body", {})
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)


def resume(server, command, thread, event="stopped"):
    """Lets the program go on, up to an event."""
    server.events.clear()
    server.ask(command, threadId=thread)
    return server.wait(event)


def expect(what, right):
    print(f"{'ok' if right else 'FAILED'}: {what}")
    if not right:
        sys.exit(1)


def variables(server, frame):
    found = {}
    for scope in server.ask("scopes", frameId=frame)["scopes"]:
        if scope["name"] in ("Locals", "Arguments"):
            for variable in server.ask("variables", variablesReference=scope["variablesReference"])["variables"]:
                found[variable["name"]] = variable["value"]
    return found


def main():
    version = subprocess.run(["gdb", "--version"], capture_output=True, text=True, check=True).stdout
    if int(re.search(r"(\d+)\.\d+", version.split("\n")[0])[1]) < 14:
        print("gdb is older than 14: it has no DAP server")
        sys.exit(77)
    server = Server()
    server.ask("initialize", adapterID="test", linesStartAt1=True, columnsStartAt1=True)
    launch = server.send("launch", program=program, args=["walk"])
    server.wait("initialized")
    server.ask("setBreakpoints", source={"path": source},
               breakpoints=[{"line": LINES["walk calls"], "condition": "$blockIdx.x == 1 && $threadIdx.x == 3"}])
    server.ask("configurationDone")
    server.answer(launch)
    stop = server.wait("stopped")
    expect("a breakpoint with a condition", stop["reason"] == "breakpoint")
    thread = stop["threadId"]
    stack = server.ask("stackTrace", threadId=thread)["stackFrames"]
    expect("the kernel's frame", stack[0]["name"].startswith("walk") and stack[0]["line"] == LINES["walk calls"])
    expect("the host's frames", any(frame["name"].startswith("main") for frame in stack))
    expect("no frames of the runtime", not any(frame["name"].startswith("wl_debug") for frame in stack))
    found = variables(server, stack[0]["id"])
    expect("variables", found.get("i") == "67" and found.get("value") == "67" and found.get("n") == "250")
    server.ask("evaluate", expression="lane 5", context="repl")
    frame = server.ask("stackTrace", threadId=thread)["stackFrames"][0]["id"]
    expect("another lane", server.ask("evaluate", expression="i", frameId=frame)["result"] == "69")
    server.ask("evaluate", expression="lane 3", context="repl")
    resume(server, "stepIn", thread)
    expect("a step into a function", server.ask("stackTrace", threadId=thread)["stackFrames"][0]["name"].startswith("outer"))
    resume(server, "stepOut", thread)
    resume(server, "next", thread)
    stack = server.ask("stackTrace", threadId=thread)["stackFrames"]
    expect("a step over a line", stack[0]["line"] == LINES["walk ends"])
    expect("its result", variables(server, stack[0]["id"]).get("result") == "2197")
    expect("the program's end", resume(server, "continue", thread, "exited")["exitCode"] == 0)
    server.ask("disconnect")


main()
