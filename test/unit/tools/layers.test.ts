// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are source text
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { checkLayers, checkSources, type LayersReport } from '../../../tools/layers.mjs'

const tool = fileURLToPath(new URL('../../../tools/check-layers.mjs', import.meta.url))
const made: string[] = []
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true })
})

/** Files of every tree, so that imports of them resolve. */
const BASE = {
  'core/base/errors.ts': '',
  'core/base/state.ts': '',
  'core/json/reader.ts': '',
  'core/crypto/hash.ts': '',
  'core/template/index.ts': '',
  'core/storage/port.ts': '',
  'core/contract/tx.ts': '',
  'core/mount/topology.ts': '',
  'core/access/token-authenticator.ts': '',
  'core/request/handle.ts': '',
  'core/kernel/options.ts': '',
  'engines/credentials/events.ts': '',
  'engines/kv/index.ts': '',
  'engines/kv/port.ts': '',
  'sys/seal.ts': '',
  'configsvc/reply.ts': '',
  'adapters/database/pool.ts': '',
  'adapters/lmdb/index.ts': '',
  'testing/clock.ts': '',
  'kernel.ts': '',
}

/** Checks a tree in memory, in the order in which a folder is read. */
const checked = (files: Record<string, string>): LayersReport =>
  checkSources(new Map(Object.entries({ ...BASE, ...files }).sort(([a], [b]) => (a < b ? -1 : 1))))

function folderOf(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'layers-'))
  made.push(root)
  for (const [path, text] of Object.entries({ ...BASE, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Runs the command and returns its output. */
function check(files: Record<string, string>): { status: number | null; violations: string[]; summary: string } {
  const { status, stderr, stdout } = spawnSync(process.execPath, [tool, folderOf(files)], { encoding: 'utf8' })
  return { status, violations: stderr.split('\n').filter(Boolean), summary: stdout.trim() }
}

const violations = (path: string, text: string): readonly string[] => checked({ [path]: text }).violations

describe('check-layers: imports', () => {
  it('reports no violation, and the number of files, for a tree without violations', () => {
    expect(check({})).toEqual({ status: 0, violations: [], summary: 'check-layers: 20 files and 0 imports read, 0 violations' })
  })

  it('reports each violation in one line', () => {
    const result = check({
      'core/base/a.ts': "\nimport { x } from '../../engines/kv/index.ts'\nimport '../../sys/seal.ts'\n",
      'kernel.ts': "import 'lmdb'\n",
    })
    expect(result.status).toBe(1)
    expect(result.violations).toEqual([
      'core/base/a.ts:2 may not import engines/kv/index.ts',
      'core/base/a.ts:3 may not import sys/seal.ts',
      'kernel.ts:1 may not import lmdb',
    ])
    expect(result.summary).toBe('check-layers: 21 files and 2 imports read, 3 violations')
  })

  it('reports the same violations for a folder as for files in memory', () => {
    const files = { 'core/base/a.ts': "import '../../sys/seal.ts'", 'kernel.ts': "import 'lmdb'" }
    expect(checkLayers(folderOf(files))).toEqual(checked(files))
  })

  it('fails for an empty folder', () => {
    const root = mkdtempSync(join(tmpdir(), 'layers-'))
    made.push(root)
    expect(() => execFileSync(process.execPath, [tool, root], { stdio: 'ignore' })).toThrow()
  })

  it.each([
    ['core/request/a.ts', '../../adapters/lmdb/index.ts'],
    ['core/request/a.ts', '../../testing/clock.ts'],
    ['core/request/a.ts', '../../configsvc/reply.ts'],
    ['core/request/a.ts', '../../kernel.ts'],
    ['core/request/a.ts', 'immer'],
    ['core/request/a.ts', 'node:crypto'],
    ['core/request/a.ts', 'node:util'],
    ['core/request/a.ts', '#platform/rsa'],
    ['core/crypto/rsa/a.ts', 'node:crypto'],
    ['kernel.ts', 'node:diagnostics_channel'],
    ['core/crypto/a.ts', 'node:fs'],
    ['core/base/a.ts', './base/errors.ts'],
    ['core/request/a.ts', 'node-forge'],
    ['core/request/a.ts', 'cron-parser'],
    ['core/base/a.ts', './missing.ts'],
    ['core/base/a.ts', './errors.js'],
    ['core/base/a.ts', '../../../outside.ts'],
    ['engines/transit/a.ts', '../kv/index.ts'],
    ['engines/transit/a.ts', '../credentials/events.ts'],
    ['engines/credentials/a.ts', '../kv/index.ts'],
    ['engines/transit/a.ts', '../../sys/seal.ts'],
    ['engines/transit/a.ts', '@noble/hashes/sha2.js'],
    ['engines/transit/a.ts', 'node:crypto'],
    ['sys/a.ts', '../engines/kv/index.ts'],
    ['sys/a.ts', '../configsvc/reply.ts'],
    ['configsvc/a.ts', '../sys/seal.ts'],
    ['configsvc/expression/a.ts', 're2js'],
    ['sys/replication/wire/packed.ts', 'cborg'],
    ['adapters/pg/a.ts', '../lmdb/index.ts'],
    ['adapters/pg/a.ts', '../database/pool.ts'],
    ['adapters/database-pg/a.ts', '../lmdb/index.ts'],
    ['adapters/pg/a.ts', '../../core/request/handle.ts'],
    ['adapters/pg/a.ts', '../../engines/kv/port.ts'],
    ['adapters/pg/a.ts', 'pg'],
    ['adapters/platform-node/subtle.ts', '../crypto-node/ecdsa.ts'],
    ['testing/a.ts', '../adapters/lmdb/index.ts'],
    ['testing/a.ts', '../kernel.ts'],
    ['kernel.ts', './adapters/lmdb/index.ts'],
    ['index.ts', './testing/clock.ts'],
    ['index.ts', 'immer'],
  ])('%s may not import %s', (path, specifier) => {
    const forms = [
      `import { x } from '${specifier}'`,
      `import x, {\n  type Y,\n} from "${specifier}"`,
      `export * from '${specifier}'`,
      `import '${specifier}'`,
    ]
    for (const form of forms) expect(violations(path, form)).toHaveLength(1)
  })

  it.each([
    ['core/base/a.ts', './errors.ts'],
    ['core/base/state.ts', 'immer'],
    ['core/crypto/rsa/a.ts', '#platform/rsa'],
    ['kernel.ts', '#platform/tracing'],
    ['core/crypto/a.ts', '@noble/hashes/sha2.js'],
    ['engines/transit/key-types/aead.ts', '../../../core/base/errors.ts'],
    ['engines/kv/operations/read.ts', '../index.ts'],
    ['engines/kv/a.ts', 'immer'],
    ['engines/kv/a.ts', '../../core/template/index.ts'],
    ['engines/cloud/a.ts', '../credentials/events.ts'],
    ['engines/database/role/a.ts', '../../credentials/events.ts'],
    ['sys/rekey/a.ts', '../seal.ts'],
    ['configsvc/expression/pattern.ts', 're2js'],
    ['sys/replication/wire/cbor-reader.ts', 'cborg'],
    ['adapters/pg/a.ts', '../../core/storage/port.ts'],
    ['adapters/pg/a.ts', '../../core/crypto/hash.ts'],
    ['adapters/pg/a.ts', 'node:net'],
    ['adapters/database-pg/a.ts', '../database/pool.ts'],
    ['testing/a.ts', '../core/request/handle.ts'],
    ['index.ts', './kernel.ts'],
    ['kernel.ts', './engines/kv/index.ts'],
  ])('%s may import %s', (path, specifier) => {
    expect(violations(path, `import { x } from '${specifier}'`)).toEqual([])
  })

  it('permits adapters and testing to import types of other rooms, and adapters to import their driver lazily', () => {
    expect(violations('adapters/pg/a.ts', "import type { X } from '../../core/request/handle.ts'")).toEqual([])
    expect(violations('adapters/pg/a.ts', "import type { X } from '../../engines/kv/port.ts'")).toEqual([])
    expect(
      violations('adapters/pg/a.ts', "import type { Pool } from 'pg'\nconst pg = await import('pg')\nlet y: import('pg').X"),
    ).toEqual([])
    expect(violations('testing/a.ts', "import type { X } from '../adapters/lmdb/index.ts'")).toEqual([])
    expect(violations('core/base/a.ts', "import type { X } from '../../sys/seal.ts'")).toEqual([
      'core/base/a.ts:1 may not import sys/seal.ts (type)',
    ])
    expect(violations('core/base/a.ts', "const x = await import('../../sys/seal.ts')")).toEqual([
      'core/base/a.ts:1 may not import sys/seal.ts (lazy)',
    ])
    expect(violations('core/base/a.ts', "type X = typeof import('../../sys/seal.ts')")).toHaveLength(1)
    // A list of types is not a type-only import: the module is loaded.
    expect(violations('adapters/pg/a.ts', "import { type X } from '../../core/request/handle.ts'")).toHaveLength(1)
  })

  it('ignores imports in comments, strings and regular expressions', () => {
    const text = [
      "// import '../sys/seal.ts'",
      "/* import '../sys/seal.ts' */",
      'const a = "import \'../sys/seal.ts\'"',
      "const b = `import '../sys/seal.ts' ${`from '../sys/seal.ts'`} from '../sys/seal.ts'`",
      "const c = /import '..\\/sys\\/seal.ts'[/']/",
      'const d = 4 / 2 / 1',
    ].join('\n')
    expect(violations('core/base/a.ts', text)).toEqual([])
    expect(violations('core/base/a.ts', `${text}\nimport '../../sys/seal.ts'`)).toEqual([
      'core/base/a.ts:7 may not import sys/seal.ts',
    ])
  })
})

describe('check-layers: rooms', () => {
  const ORDER = [
    'base',
    'json',
    'hcl',
    'crypto',
    'template',
    'storage',
    'barrier',
    'policy',
    'field',
    'contract',
    'transaction',
    'mount',
    'access',
    'audit',
    'request',
    'seal',
    'due',
    'kernel',
  ]

  it.each(ORDER)('permits %s to import only the rooms before it, even for types', (room) => {
    for (const other of ORDER) {
      const files = { [`core/${room}/from.ts`]: `import type { X } from '../${other}/to.ts'`, [`core/${other}/to.ts`]: '' }
      const { violations } = checked(files)
      const may = ORDER.indexOf(other) <= ORDER.indexOf(room)
      expect(violations, other).toEqual(may ? [] : [`core/${room}/from.ts:1 may not import core/${other}/to.ts (type)`])
    }
  })

  it('reports a file in an unknown room', () => {
    expect(violations('core/misc/a.ts', '')).toEqual(['core/misc/a.ts:1 is in no known room, so its imports cannot be checked'])
  })

  it.each([
    '../../core/storage/port.ts',
    '../../core/mount/topology.ts',
    '../../core/access/token-authenticator.ts',
    '../../core/kernel/options.ts',
  ])('an engine may import only access/token-authenticator from the rooms after the contract: %s', (specifier) => {
    const allowed = specifier.endsWith('access/token-authenticator.ts')
    expect(violations('engines/transit/a.ts', `import { x } from '${specifier}'`)).toHaveLength(allowed ? 0 : 1)
  })

  it('reports a cycle of imports once, with its files, even if one import is of a type', () => {
    const files = {
      'core/base/a.ts': "import type { B } from './b.ts'",
      'core/base/b.ts': "import { c } from './c.ts'",
      'core/base/c.ts': "import { a } from './a.ts'",
      'core/base/d.ts': "import { a } from './a.ts'",
    }
    expect(checked(files).violations).toEqual([
      'core/base/a.ts -> core/base/b.ts -> core/base/c.ts -> core/base/a.ts is an import cycle',
    ])
  })
})

describe('check-layers: globals and names', () => {
  it.each([
    'Math.random()',
    'new Date()',
    'Date.now()',
    'setTimeout(f, 1)',
    'process.env',
    "fetch('x')",
    'x ? process : 1',
    '`${Date.now()}`',
  ])('reports %s outside of the permitted files', (expression) => {
    for (const path of ['core/base/a.ts', 'engines/kv/a.ts', 'sys/a.ts', 'configsvc/a.ts', 'kernel.ts'])
      expect(violations(path, `const y = ${expression}`)).toHaveLength(1)
    for (const path of ['core/base/clock.ts', 'adapters/x/a.ts', 'testing/a.ts'])
      expect(violations(path, `const y = ${expression}`)).toEqual([])
  })

  it('reports a record kind of the kernel that declares no replication domain', () => {
    for (const path of ['core/access/role.ts', 'sys/role.ts']) {
      expect(violations(path, "const ROLE = jsonRecord<Role>({ folder: 'role' })")).toHaveLength(1)
      expect(violations(path, "const TEXT = textRecord({ folder: 'text' })")).toHaveLength(1)
      expect(violations(path, "const KEY: SecretKind = { class: 'l', folder: 'key', format: 1 }")).toHaveLength(1)
      expect(violations(path, "const ROLE = coreRecord<Role>({ folder: 'role' })")).toEqual([])
    }
    expect(violations('engines/kv/role.ts', "const ROLE = jsonRecord<Role>({ folder: 'role' })")).toEqual([])
  })

  it('reports AbortSignal.any everywhere except in combined-signal.ts', () => {
    for (const path of ['core/base/a.ts', 'engines/kv/a.ts', 'adapters/x/a.ts', 'testing/a.ts', 'kernel.ts'])
      expect(violations(path, 'const y = AbortSignal.any([a, b])')).toHaveLength(1)
    expect(violations('core/base/combined-signal.ts', 'const y = AbortSignal.any([a, b])')).toEqual([])
  })

  it('does not report members, declarations or text with the name of a global', () => {
    const text = [
      'interface X { fetch(address: string): Promise<void>; readonly process: string; Date?: string }',
      'const x = { fetch(address: string) { return address }, process: 1 }',
      'x.fetch(1); x.process; this.#process',
      "// Date.now() and setTimeout\nconst y = 'new Date()' + `process`",
      'const updateDate = 1, processing = 2',
    ].join('\n')
    expect(violations('core/base/a.ts', text)).toEqual([])
  })

  it('reports the name of a transit key type outside the folder of key types', () => {
    const text =
      "/** Such as 'rsa-2048'. */\nconst x = 'rsa-2048'\nconst y = \"aes256-gcm96\"\nconst z = `ecdsa-p256`\nconst u = 'ed25519'"
    expect(violations('engines/transit/a.ts', text)).toHaveLength(4)
    expect(violations('engines/transit/key-types/rsa.ts', text)).toEqual([])
    expect(violations('core/crypto/a.ts', "const x = 'chacha20-poly1305', y = 'rsa-4096'")).toEqual([
      'core/crypto/a.ts:1 names the key type rsa-4096 outside engines/transit/key-types',
    ])
  })
})
