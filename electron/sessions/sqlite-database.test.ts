import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database as Sqlite } from 'node-sqlite3-wasm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Random } from '../testing/random.js'
import { asLogged, writeAheadLog } from '../testing/write-ahead-log.js'
import { readDatabase, type Database } from './sqlite-database.js'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const columns = ['id', 'kind', 'number', 'body']

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Without another program that has it open, only the time of a file tells that it is left alone. */
function writeRested(file: string, bytes: Buffer): void {
  writeFileSync(file, bytes)
  utimesSync(file, 1_000, 1_000)
}

type Rows = readonly (readonly unknown[])[]

/** A database with two tables and an index, changed in random ways. */
class Model {
  readonly file: string
  private readonly database: Sqlite
  private count = 0

  constructor(folder: string, private readonly random: Random, pageSize = 512) {
    this.file = join(folder, 'model.db')
    this.database = new Sqlite(this.file)
    this.database.exec(`PRAGMA page_size=${pageSize}; CREATE TABLE item (\`id\` text PRIMARY KEY, kind text NOT NULL, "number" integer, body text, CONSTRAINT c CHECK (kind <> ',)'))`)
    this.database.exec('CREATE INDEX item_kind ON item (`kind`, `id`); CREATE TABLE plain (n INTEGER PRIMARY KEY, body BLOB, share REAL)')
  }

  change(times: number): void {
    const { random, database } = this
    database.exec('BEGIN')
    for (let time = 0; time < times; time++) {
      if (random.chance(25)) database.run('DELETE FROM item WHERE id = ?', [`i${random.below(this.count + 1)}`])
      const body = 'ä€x'.repeat(random.pick([0, 1, 20, 200, 2_000]))
      const number = random.pick([0, 1, -1, 127, 128, 40_000, -8_388_608, 2 ** 31, 2 ** 40, -(2 ** 52), null])
      database.run('INSERT INTO item VALUES (?, ?, ?, ?)', [`i${this.count++}`, random.pick(['a', 'b', 'ab', 'ü']), number, random.chance(10) ? null : body])
      if (random.chance(30)) database.run('INSERT INTO plain VALUES (NULL, ?, ?)', [Buffer.alloc(random.below(900), 7), random.below(100) / 3])
    }
    database.exec('COMMIT')
  }

  rows(): Rows {
    return this.database.all('SELECT * FROM item ORDER BY rowid').map((row) => columns.map((column) => (row as Record<string, unknown>)[column]))
  }

  copy(to: string): string {
    copyFileSync(this.file, to)
    return to
  }

  close(): void {
    this.database.close()
  }
}

async function rowsOf(database: Database, kind?: string): Promise<Rows> {
  const rows: unknown[][] = []
  for await (const row of kind === undefined ? database.rows('item') : database.where('item', { kind })) rows.push(columns.map((column) => row.value(column)))
  return rows
}

describe('a database of SQLite', () => {
  it.each([512, 4096])(`gives the rows that SQLite gives, in pages of %i bytes (seed ${seed})`, async (pageSize) => {
    const model = new Model(newFolder(), new Random(seed + pageSize), pageSize)
    model.change(600)
    const expected = model.rows()
    model.close()
    const found = await readDatabase(model.file, async (database) => {
      const kinds = await Promise.all(['a', 'b', 'ab', 'ü', 'none'].map((kind) => rowsOf(database, kind)))
      let plain = 0
      for await (const row of database.rows('plain')) plain += Number(row.number('share') !== null && Buffer.isBuffer(row.value('body')) && row.number('n') !== null)
      return { all: await rowsOf(database), kinds, isPlain: plain > 0, damage: database.damage, isThere: [database.has('item'), database.has('none')] }
    })
    const byId = (rows: Rows): Rows => [...rows].sort((one, two) => Buffer.compare(Buffer.from(`${one[0]}`), Buffer.from(`${two[0]}`)))
    const kinds = ['a', 'b', 'ab', 'ü', 'none'].map((kind) => byId(expected.filter((row) => row[1] === kind)))
    expect(found).toEqual({ all: expected, kinds, isPlain: true, damage: 0, isThere: [true, false] })
  })

  it(`sees the last commit that its log holds whole, wherever the log is cut off (seed ${seed})`, async () => {
    const folder = newFolder()
    const random = new Random(seed)
    const model = new Model(folder, random)
    const states: Rows[] = []
    const versions = Array.from({ length: 5 }, (_, index) => {
      model.change(12)
      states.push(model.rows())
      return model.copy(join(folder, `v${index}.db`))
    })
    model.close()
    const { bytes, ends } = writeAheadLog(versions)
    const file = join(folder, 'live.db')
    writeRested(file, asLogged(readFileSync(versions[0] ?? '')))
    for (const cut of [0, 31, 32, ...ends.flatMap((end) => [end - 1, end, end + 30]), ...Array.from({ length: 12 }, () => random.below(bytes.length))]) {
      writeFileSync(`${file}-wal`, bytes.subarray(0, cut))
      const commits = ends.filter((end) => end <= cut).length
      expect([cut, await readDatabase(file, rowsOf)]).toEqual([cut, states[commits]])
    }
  })

  it('goes on with a log that grew, and begins with one that began anew', async () => {
    const folder = newFolder()
    const model = new Model(folder, new Random(8))
    const states: Rows[] = []
    const versions = [0, 1, 2, 3].map((index) => {
      model.change(10)
      states.push(model.rows())
      return model.copy(join(folder, `v${index}.db`))
    })
    model.close()
    const file = join(folder, 'live.db')
    const { bytes, ends } = writeAheadLog(versions)
    writeRested(file, asLogged(readFileSync(versions[0] ?? '')))
    const seen: Rows[] = []
    for (const end of ends) {
      writeFileSync(`${file}-wal`, bytes.subarray(0, end))
      seen.push(await readDatabase(file, rowsOf))
    }
    writeFileSync(`${file}-wal`, writeAheadLog(versions.slice(0, 2), 50).bytes)
    seen.push(await readDatabase(file, rowsOf))
    expect(seen).toEqual([states[1], states[2], states[3], states[1]])
  })

  it('leaves out frames with another sum, and those that an earlier log left behind', async () => {
    const folder = newFolder()
    const model = new Model(folder, new Random(5))
    const states: Rows[] = []
    const versions = [0, 1, 2].map((index) => {
      model.change(10)
      states.push(model.rows())
      return model.copy(join(folder, `v${index}.db`))
    })
    model.close()
    const { bytes, ends } = writeAheadLog(versions)
    const old = writeAheadLog(versions, 99).bytes
    const file = join(folder, 'live.db')
    writeRested(file, asLogged(readFileSync(versions[0] ?? '')))
    writeFileSync(`${file}-wal`, Buffer.concat([bytes.subarray(0, ends[0]), old.subarray(ends[0] ?? 0)]))
    const afterOld = await readDatabase(file, rowsOf)
    const flipped = Buffer.from(bytes)
    flipped[(ends[0] ?? 0) + 100] = (flipped[(ends[0] ?? 0) + 100] ?? 0) ^ 1
    writeFileSync(`${file}-wal`, flipped)
    expect([afterOld, await readDatabase(file, rowsOf)]).toEqual([states[1], states[1]])
  })

  it('reads again where a writer came in between, and gives up on one that never rests', async () => {
    const folder = newFolder()
    const model = new Model(folder, new Random(6))
    model.change(5)
    let reads = 0
    const rows = await readDatabase(model.file, async (database) => {
      const found = await rowsOf(database)
      if (++reads === 1) model.change(5)
      return found
    })
    expect([reads, rows]).toEqual([2, model.rows()])
    writeFileSync(`${model.file}-journal`, 'a change that was begun')
    await expect(readDatabase(model.file, rowsOf)).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' })
    model.close()
  })

  it(`passes over what is damaged, and ends (seed ${seed})`, async () => {
    const folder = newFolder()
    const random = new Random(seed)
    const model = new Model(folder, random)
    model.change(150)
    const whole = new Set(model.rows().map((row) => JSON.stringify(row)))
    model.close()
    const bytes = readFileSync(model.file)
    const file = join(folder, 'damaged.db')
    let withRows = 0
    for (let round = 0; round < 60; round++) {
      const damaged = Buffer.from(bytes)
      for (let time = random.below(12); time >= 0; time--) damaged[random.below(damaged.length)] = random.below(256)
      if (random.chance(30)) damaged.fill(random.below(256), random.below(damaged.length), random.below(damaged.length))
      writeFileSync(file, random.chance(30) ? damaged.subarray(0, random.below(damaged.length)) : damaged)
      try {
        const rows = await readDatabase(file, async (database) => [...(await rowsOf(database)), ...(await rowsOf(database, 'ab'))])
        if (rows.some((row) => whole.has(JSON.stringify(row)))) withRows++
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'SESSION_UNREADABLE' })
      }
    }
    expect(withRows).toBeGreaterThan(5)
  })
})
