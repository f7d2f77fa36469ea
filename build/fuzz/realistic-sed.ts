// sed commands as people write them, with values filled in at random, on files as they are.

import type { Random } from './random.js'

const files: readonly string[] = [
  `import { getUser } from './old/path';\nimport fs from "fs";\n// TODO: getUser is deprecated\nexport const MAX_RETRIES = 3;\n  const userId = getUser(user_id);\n\tif (userId == null) { console.log("no user", userId); }   \nconst re = /^\\d+$/;\nconst url = "http://localhost:8080/api/v1?x=1&y=2";\n`,
  `#!/usr/bin/env python3\nimport os, sys\n\nDEBUG = True\n# port = 8080\nport = 9000\n\nclass Foo(Base):\n    def run(self, value=None):\n        print('done')\n        d["key"]["other"] = self.http_client.get(url)\n        return Foo or FooBar\n`,
  `{\n  "name": "demo",\n  "version": "1.2.3",\n  "main": "./dist/index.js",\n  "scripts": { "test": "jest --coverage", "build": "tsc -p ." },\n  "dependencies": { "react": "^17.0.2", "left-pad": "~1.3.0" }\n}\n`,
  `FROM node:14-alpine\nWORKDIR /usr/src/app\nRUN npm install && npm run build\n# EXPOSE 3000\nEXPOSE 3000\nCMD ["node", "server.js"]\n`,
  `worker_processes 5;\nhttp {\n    server {\n        listen 80;\n        server_name old.example.com www.old.example.com;\n        #return 301;\n        location / { proxy_pass http://127.0.0.1:3000/; }\n    }\n}\n`,
  `# Titre – résumé\n\n* first item\n* second (2024-01-15)\n- [x] done\n“quoted” …\nSee v1.2.3 and index.html?x=1&y=2\n`,
  `PORT=3000\nHOST=localhost\n#FEATURE_X=1\nDB_URL=postgres://u:p@ss/w0rd@db:5432/app\nPRICE=$5\nEMPTY=\nPATH_BIN=/usr/local/bin`,
  `CC = gcc\nCFLAGS = -O2 -Wall\nall: main.o util.o\n\t$(CC) -o app main.o util.o\nclean:\n\trm -f *.o\n`,
]

/** `%` stands for a word of the file, `@` for a new value; separated by two blanks. */
const basic = String.raw`s/%/@/g  s/%/@/  s/\b%\b/@/g  s/\<%\>/@/g  s|%|@|g  s,%,@,  s/^%/@/  s/%.*/@/  s/^\(.*\)%/\1@/
  s/[[:space:]]*$//  s/[ \t]*$//  s/\s\+$//  s/\r$//  s/^/# /  s/$/;/  s/^# *//  s/\t/ /g  s/"[^"]*"/"@"/
  s/\(%\) *= *\(.*\)/\1 = \2/  s/%: .*/%: @/  s/%/&@/  s/%\(.*\)$/@\1/  s/[0-9]\+/@/g  s/[0-9][0-9]*/@/2
  s/[^[:alnum:]_]/_/g  s#%#./@/#g  s/%/@/2  s/^\( *\)%/\1@/  s/(\([^)]*\))/[\1]/  s/[A-Z]/x/g  s/%/@/g;s/@/%/`
const extended = String.raw`s/(%|FooBar)/<\1>/g  s/([A-Za-z_]+)\(([^)]*)\)/\1[\2]/g  s/%|getUser|get/@/g
  s/^([A-Z_]+)=(.*)$/\2=\1/  s/"([^"]+)": "([^"]+)"/"\2": "\1"/  s/([0-9]+)\.([0-9]+)\.([0-9]+)/\1.\2.99/  s/\s+$//
  s/^\s*(#|\/\/) ?//  s/(\w+) = (\w+)/\2 = \1/  s/[0-9]{4}-[0-9]{2}/@/  s/https?:\/\/[^\/ "]+/@/  s/^(.{0,20}).*/\1/
  s/:[0-9]+(-alpine)?/:22\1/  s/%(.*)/@\1/  s/(^|[^a-z])%/\1@/  s/(^|[^A-Za-z_])%([^A-Za-z_]|$)/\1@\2/g  s/%?@/x/
  s/([^ ]+) +([^ ]+)/\2 \1/  s/\b(%|main)\b/<\1>/g`

export function realisticCase(random: Random, file: string): { readonly command: string; readonly before: string } {
  const text = random.pick(files)
  const words = text.match(/[A-Za-z_][A-Za-z0-9_]{2,}/g) ?? ['x']
  const isExtended = random.chance(40)
  const template = random.pick((isExtended ? extended : basic).split(/ {2,}|\n\s*/))
  const value = random.pick(['newName', 'v2', '9', 'new value', 'a-b', 'x_y', '', '\\&', 'l1\\nl2', 'http:'])
  const script = template.replaceAll('%', random.pick(words)).replaceAll('@', value)
  const quoted = random.chance(70) || /[$`\\!"]/.test(script) ? `'${script}'` : `"${script}"`
  const options = random.pick(
    isExtended ? ['-i -E', '-E -i', '-i -r', '-Ei'] : ['-i', '-i', '-i', '-i -e', '--in-place'],
  )
  const before = random.chance(15) ? text.replaceAll('\n', '\r\n') : text
  return { command: `sed ${options} ${quoted} ${file}`, before: random.chance(3) ? `\ufeff${before}` : before }
}
