"""
What opendkim-testmsg says of messages: its exit codes. It asks the resolver of the system, so this runs in namespaces of
its own (`unshare -rmn`), where that resolver is a small name server here.
"""

import base64
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

TXT = 16


def answer(query, records):
    name, at = [], 12
    while query[at]:
        name.append(query[at + 1 : at + 1 + query[at]].decode('latin1'))
        at += 1 + query[at]
    question = query[12 : at + 5]
    (kind,) = struct.unpack('!H', query[at + 1 : at + 3])
    text = records.get('.'.join(name).lower())
    found = text is not None and kind == TXT
    flags = 0x8580 if text is not None else 0x8583
    head = query[:2] + struct.pack('!HHHHH', flags, 1, 1 if found else 0, 0, 0)
    if not found:
        return head + question
    pieces = [text[i : i + 255].encode() for i in range(0, len(text), 255)]
    data = b''.join(bytes([len(piece)]) + piece for piece in pieces)
    return head + question + b'\xc0\x0c' + struct.pack('!HHIH', TXT, 1, 60, len(data)) + data


def serve(server, records):
    while True:
        query, peer = server.recvfrom(4096)
        server.sendto(answer(query, records), peer)


def main():
    job = json.load(sys.stdin)
    subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
    with tempfile.NamedTemporaryFile('w', suffix='.conf') as conf:
        conf.write('nameserver 127.0.0.1\noptions edns0\n')
        conf.flush()
        subprocess.run(['mount', '--bind', conf.name, '/etc/resolv.conf'], check=True)
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(('127.0.0.1', 53))
        threading.Thread(target=serve, args=(server, job['records']), daemon=True).start()
        codes = [
            subprocess.run(['opendkim-testmsg', '-C'], input=base64.b64decode(text), stderr=subprocess.DEVNULL, check=False).returncode
            for text in job['signed']
        ]
    print(json.dumps(codes))
    sys.stdout.flush()
    os._exit(0)


main()
