import { describe, expect, it } from 'vitest'
import { shellEffects } from './shell-effects.js'

const folder = '/home/dev/app'

/** Effects in short: `deleted a.txt!`, where `!` is certain, `/**` a tree, `~` a time that may be old, `s2` a sed of two commands. */
function effects(command: string, directory?: string): string {
  const result = shellEffects(command, folder, directory)
  if (result.kind === 'reads') return 'reads'
  const steps = result.steps.map((step) => {
    if (step.kind === 'unforeseen') return `?${step.keepsMtime ? '~' : ''}${step.deletes ? '-' : ''}`
    const content = step.content === null ? '' : ` ${JSON.stringify(step.content)}`
    const mode = step.mode === null ? '' : ` ${step.mode.toString(8)}`
    const sed = step.sed ? ` s${step.sed.followedBy.length + 1}` : ''
    return `${step.how} ${step.path}${step.isTree ? '/**' : ''}${step.isCertain ? '!' : ''}${step.keepsMtime ? '~' : ''}${content}${mode}${sed}`
  })
  return [result.kind === 'opaque' ? 'opaque' : 'writes', ...steps].join('; ')
}

describe('shellEffects', () => {
  it.each([
    ['ls -la src'],
    ['cat a.txt | grep -n foo | head -5'],
    ['git status && git --no-pager log --oneline -5'],
    ['git -C sub diff'],
    ['find . -name "*.ts" -not -path "*/node_modules/*"'],
    ['sed -n "1,40p" src/a.ts'],
    ["sed 's/a;w x/b/' f"],
    ['node --version; npm ls'],
    ['echo hi >&2; ls 2>/dev/null'],
    ['[ -f x ] || exit 1'],
    ['for f in a b; do wc -l "$f"; done'],
    ['X=1; echo $(pwd)'],
    ['find . | xargs grep foo'],
    ['timeout 5 cat x'],
    ["bash -c 'ls -l'"],
    ["sed -i 's/x/x/' a.txt"],
    ['curl -s -H "a: b" http://localhost:3000/'],
  ])('takes %s for reading', (command) => {
    expect(effects(command)).toBe('reads')
  })

  it.each([
    ['find . -name x -delete'],
    ['find . -exec rm {} \\;'],
    ['git diff --output=x'],
    ["sed -n 'w out.txt' f"],
    ["sed 's/a/date/e' f"],
    ["sed '1e id' f"],
    ['sort -o f f'],
    ['awk \'{print > "f"}\' x'],
    ['curl -sSLo f http://x'],
    ['./run.sh'],
    ['python3 script.py'],
    ['rm "$FILE"'],
    ['rm ~/x'],
    ['$CMD x'],
    ['eval "rm x"'],
    ['. ./env.sh'],
    ['ls() { rm x; }; ls'],
    ['PATH=.:$PATH ls'],
    ['ls $(./x)'],
    ['cat <(./x)'],
    ['cat <<EOF\n$(./x)\nEOF'],
    ["rm 'x"],
    ['cd "$DIR" && rm x'],
    ['tar xf a.tar'],
    ['sudo rm x'],
    ['xargs rm < list'],
    ['find . -name x | xargs -0 ./do'],
    ['npm install'],
    ['git checkout -- a.txt'],
    ['git -c alias.status="!rm x" status'],
  ])('takes %s for opaque', (command) => {
    expect(effects(command)).toMatch(/^opaque/)
  })

  it.each([
    ['rm a.txt b/c.txt', 'writes; deleted a.txt!; deleted b/c.txt!'],
    ['rm -rf old', 'writes; deleted old/**!'],
    ['rm a.txt; echo done', 'writes; deleted a.txt'],
    ['rm a.txt && echo done', 'writes; deleted a.txt!'],
    ['rm a.txt || true', 'writes; deleted a.txt'],
    ['if [ -f a ]; then rm a; fi', 'writes; deleted a'],
    ['rm src/*.tmp', 'writes; deleted src/**'],
    ['mv a.txt b.txt', 'writes; deleted a.txt/**!; written b.txt/**~'],
    ['cp a b', 'writes; written b/**'],
    ['cp -p a b', 'writes; written b/**~'],
    ['touch a', 'writes; touched a!'],
    ['touch -d 2020-01-01 a', 'writes; touched a!~'],
    ['chmod 755 run.sh', 'writes; mode run.sh! 755'],
    ['chmod +x run.sh', 'writes; mode run.sh!'],
    ['chmod -x run.sh', 'writes; mode run.sh!'],
    ['ln -s target link', 'writes; link link/**~'],
    ["sed -i 's/a/b/' f", 'writes; written f! s1'],
    ["cd sub && sed -i -e 's/a/b/' -e 's/b/c/' f && ls", 'writes; written sub/f! s2'],
    ["bash -c \"sed -i 's/a/b/' f\"", 'writes; written f! s1'],
    ["echo $(sed -i 's/a/b/' f)", 'writes; written f'],
    ["LC_ALL=C sed -i 's/a/b/' f", 'writes; written f!'],
    ["sed -i 's/a/b/p' f", 'writes; written f!'],
    ["[ -f f ] || exit 0; sed -i 's/a/b/' f", 'writes; written f s1'],
    ['[ -f f ] || exit 0; rm f', 'writes; deleted f'],
    ["sed -i.bak -e 's/a/b/' f", 'writes; written f!; written f.bak!'],
    ['echo hello world > a.txt', 'writes; written a.txt! "hello world\\n"'],
    ["printf 'a\\nb\\n' > a.txt", 'writes; written a.txt! "a\\nb\\n"'],
    ["printf '%s\\n' a b >> a.txt", 'writes; appended a.txt! "a\\nb\\n"'],
    ['echo -e "a\\n" > a.txt', 'writes; written a.txt!'],
    ['echo $X > a.txt', 'writes; written a.txt!'],
    ["cat > a.txt <<'EOF'\nx $Y\nEOF", 'writes; written a.txt! "x $Y\\n"'],
    ['cat <<EOF > a.txt\nx $Y\nEOF', 'writes; written a.txt!'],
    ['cat <<EOF > a.txt\nplain\nEOF', 'writes; written a.txt! "plain\\n"'],
    ["tee a.txt <<'EOF'\nx\nEOF", 'writes; written a.txt! "x\\n"'],
    ['> a.txt', 'writes; written a.txt! ""'],
    ['ls > list.txt 2>&1', 'writes; written list.txt!'],
    ['cd sub && rm a', 'writes; deleted sub/a!'],
    ['cd sub; rm a', 'writes; deleted a; deleted sub/a'],
    ['(cd sub && rm a) && rm b', 'writes; deleted sub/a!; deleted b!'],
    ['rm /tmp/x ../y', 'writes; deleted /tmp/x!; deleted /home/dev/y!'],
    ['rm /home/dev/app/a', 'writes; deleted a!'],
    ['rm -rf .', 'writes; deleted /**!'],
    ["bash -c 'rm a'", 'writes; deleted a!'],
    ['cat a | tee b', 'writes; written b!'],
    ['dd if=/dev/zero of=blob bs=1 count=3', 'writes; written blob!'],
    ['rm a && npm test', 'opaque; deleted a!; ?'],
    ['npm run build', 'opaque; ?'],
    ['npx prettier --write .', 'opaque; ?'],
    ['git checkout a', 'opaque; ?-'],
    ["python3 - <<'EOF'\nimport re\ns = open('a').read()\nopen('a', 'w').write(s.replace('x', 'y'))\nEOF", 'opaque; written a; ?'],
    ["python3 - <<'EOF'\np = 'src/a.py'\nopen(p, 'w').write('x')\nfrom pathlib import Path\nPath('b').write_text(p)\nopen(f'{p}.bak', 'w')\nEOF", 'opaque; written src/a.py; written b; ?'],
    ["python3 -c \"import os; os.replace('a', 'b')\"", 'opaque; ?~-'],
    ["python3 -c \"from pathlib import Path; Path('a').replace('b')\"", 'opaque; ?~-'],
    ["python3 -c \"import os; os.remove('a')\"", 'opaque; ?-'],
    ["node -e \"require('fs').writeFileSync('a', 'b')\"", 'opaque; written a; ?'],
    ["node -e \"require('fs').renameSync('a', 'b')\"", 'opaque; ?~-'],
    ['rm a &', 'opaque; deleted a; ?~-'],
  ])('reads %s', (command, expected) => {
    expect(effects(command)).toBe(expected)
  })

  it('starts in the folder where the command ran', () => {
    expect(effects('rm a', '/home/dev/app/sub')).toBe('writes; deleted sub/a!')
  })

  it('understands no command of a Windows shell', () => {
    expect(shellEffects('dir', 'C:\\app').kind).toBe('opaque')
  })
})
