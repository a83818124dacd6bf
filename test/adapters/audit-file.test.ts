/** Audit logs in real files: writing, rotation, devices enabled by request, and verification. */
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileAudit, fileAuditFactory } from '../../src/adapters/audit-file/index.ts'
import type { AuditEntry } from '../../src/core/contract/audit-entry.ts'
import {
  type AuditUse,
  createKernel,
  type Kernel,
  keySeal,
  memoryStorage,
  type Storage,
  verifyAudit,
  whoUsed,
} from '../../src/index.ts'
import { sender } from '../unit/audit/support.ts'

const SEAL_KEY = new Uint8Array(32).fill(9)
let folder: string
let storage: Storage
const kernels: Kernel[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'))
  storage = memoryStorage()
})
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(audit: NonNullable<Parameters<typeof createKernel>[0]['ports']>['audit'] | undefined): Promise<Kernel> {
  const ports = audit ? { audit } : {}
  const kernel = await createKernel({ storage, seal: keySeal(SEAL_KEY), initialize: true, ports })
  kernels.push(kernel)
  return kernel
}

const linesIn = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')

/** Empty on systems without /proc. */
function openFiles(): readonly string[] {
  const folder = '/proc/self/fd'
  if (!existsSync(folder)) return []
  // The descriptor that lists the folder is open during the list and closed afterwards.
  return readdirSync(folder).flatMap((fd) => (existsSync(join(folder, fd)) ? [readlinkSync(join(folder, fd))] : []))
}

const permissions = (path: string) => statSync(path).mode & 0o777

describe.each(['never', 'always'] as const)('a file audit sink with sync: %s', (sync) => {
  it('writes one verifiable line per entry to a file that only its owner may read', async () => {
    const path = join(folder, 'audit.log')
    const kernel = await open({ sinks: { file: fileAudit({ path, sync }) } })
    await Promise.all(Array.from({ length: 20 }, (_, n) => kernel.kv.writeSecret({ path: `p${n}`, data: { n } })))
    expect(linesIn(path)).toHaveLength(40)
    for (const line of linesIn(path)) expect(JSON.parse(line)).toMatchObject({ request: { mount_type: 'kv' } })
    expect(permissions(path)).toBe(0o600)
    expect(await verifyAudit(kernel, { sink: 'file', lines: createReadStream(path) })).toMatchObject({ ok: true, entries: 40 })
  })

  it('loses no entry if the file is rotated during requests', async () => {
    const [path, old] = [join(folder, 'audit.log'), join(folder, 'audit.log.1')]
    const sink = fileAudit({ path, sync })
    const kernel = await open({ sinks: { file: sink } })
    await kernel.kv.writeSecret({ path: 'a', data: { n: 1 } })
    const under = kernel.kv.writeSecret({ path: 'b', data: { n: 1 } })
    renameSync(path, old)
    sink.reopen()
    await under
    await kernel.kv.writeSecret({ path: 'c', data: { n: 1 } })
    const all = [...linesIn(old), ...linesIn(path)]
    expect(all).toHaveLength(6)
    expect(linesIn(path).length).toBeGreaterThan(1)
    expect(await verifyAudit(kernel, { sink: 'file', lines: all })).toMatchObject({ ok: true })
    expect(await verifyAudit(kernel, { sink: 'file', lines: linesIn(path), partial: true })).toMatchObject({ ok: true })
  })
})

it('fileAudit writes all entries if it is reopened and closed while writes are in flight', async () => {
  const path = join(folder, 'audit.log')
  const sink = fileAudit({ path, sync: 'always' })
  const lines = Array.from({ length: 200 }, (_, n) => `{"n":${n}}`)
  const written = lines.map((line, n) => {
    const done = sink.write({ line } as AuditEntry)
    if (n % 10 === 5) sink.reopen()
    return done
  })
  sink.close()
  await Promise.all(written)
  expect(linesIn(path)).toEqual(lines)
  expect(openFiles()).not.toContain(path)
})

it('fileAudit appends the entries of two kernels that share a file, and loses none', async () => {
  const path = join(folder, 'audit.log')
  const first = await open({ sinks: { file: fileAudit({ path, prefix: '@cee: ' }) } })
  const second = await open({ sinks: { file: fileAudit({ path, prefix: '@cee: ' }) } })
  await Promise.all([first, second, first].map((kernel, n) => kernel.kv.writeSecret({ path: `p${n}`, data: { n } })))
  expect(linesIn(path)).toHaveLength(6)
  expect(await verifyAudit(first, { sink: 'file', lines: createReadStream(path) })).toMatchObject({ ok: true, entries: 6 })
})

it('fileAudit changes the permissions of an existing file to the configured mode', async () => {
  const path = join(folder, 'audit.log')
  writeFileSync(path, '', { mode: 0o644 })
  await fileAudit({ path, mode: 0o640 }).open?.()
  expect(permissions(path)).toBe(0o640)
})

/** Paths at which no file can be opened, with the reported reason. */
const UNUSABLE: readonly (readonly [name: string, path: () => string, reason: () => string])[] = [
  [
    'a missing folder',
    () => join(folder, 'none', 'audit.log'),
    () => `the folder ${folder}/none does not exist; create it first`,
  ],
  [
    'a file in place of its folder',
    () => {
      writeFileSync(join(folder, 'file'), '')
      return join(folder, 'file', 'audit.log')
    },
    () => `${folder}/file is not a folder`,
  ],
  ['a folder at its path', () => folder, () => `${folder} is a folder; name a file in it`],
  [
    'a link to another file',
    () => {
      symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
      return join(folder, 'link')
    },
    () => `${folder}/link is a symbolic link, which is not followed; name its target`,
  ],
  ['a file name that is too long', () => join(folder, 'n'.repeat(300)), () => 'cannot be opened (ENAMETOOLONG)'],
]

describe.each(UNUSABLE)('a kernel whose file audit sink finds %s', (_, path, reason) => {
  it('does not open, and reports the reason', async () => {
    const opened = open({ sinks: { file: fileAudit({ path: path() }) } })
    await expect(opened).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      message: expect.stringMatching(/^audit sink file: cannot be opened: path: /),
    })
    await expect(opened).rejects.toThrow(reason())
  })
})

it('fileAudit keeps writing to the old file if its folder is missing when reopen() is called', async () => {
  const [place, moved] = [join(folder, 'logs'), join(folder, 'moved')]
  await mkdir(place)
  const sink = fileAudit({ path: join(place, 'audit.log') })
  await sink.write({ line: '{"n":1}' } as AuditEntry)
  renameSync(place, moved)
  expect(() => sink.reopen()).toThrow(`the folder ${place} does not exist`)
  await sink.write({ line: '{"n":2}' } as AuditEntry)
  expect(linesIn(join(moved, 'audit.log'))).toEqual(['{"n":1}', '{"n":2}'])
  sink.close()
  expect(openFiles().filter((path) => path.startsWith(moved))).toEqual([])
})

const full = existsSync('/dev/full')
it.skipIf(!full)(
  `a kernel with fileAudit refuses requests on a full disk${full ? '' : ' (skipped: there is no /dev/full)'}`,
  async () => {
    const kernel = await open({ sinks: { file: fileAudit({ path: '/dev/full' }) } })
    await expect(kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      committed: false,
    })
  },
)

describe('a file audit device enabled by request', () => {
  const enable = (kernel: Kernel, options: Record<string, unknown>, name = 'log') =>
    sender(kernel)('POST', `sys/audit/${name}`, { body: { type: 'file', description: 'd', options } })

  it('writes entries for every kernel on the store until it is disabled', async () => {
    const factories = { file: fileAuditFactory({ directory: folder }) }
    const kernel = await open({ factories })
    await kernel.kv.writeSecret({ path: 'before', data: { a: 1 } })
    expect((await enable(kernel, { file_path: 'audit.log' })).status).toBe(204)
    const path = join(folder, 'audit.log')
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    expect(linesIn(path)).toHaveLength(2)
    const { devices } = await kernel.audit.listDevices()
    const options = { file_path: 'audit.log' }
    expect(devices).toEqual({ 'log/': { type: 'file', description: 'd', options, local: false, path: 'log/' } })
    const second = await open({ factories })
    await second.kv.writeSecret({ path: 'b', data: { a: 1 } })
    expect((await kernel.audit.hash({ path: 'log/', input: 'x' })).hash).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
    expect(await verifyAudit(kernel, { sink: 'log', lines: createReadStream(path) })).toMatchObject({ ok: true })
    const written = linesIn(path).length
    expect((await sender(kernel)('DELETE', 'sys/audit/log')).status).toBe(204)
    const after = linesIn(path).length
    expect(after).toBe(written + 2)
    await kernel.kv.writeSecret({ path: 'c', data: { a: 1 } })
    expect(linesIn(path)).toHaveLength(after)
    expect((await kernel.audit.listDevices()).devices).toEqual({})
    await second.close()
  })

  it('continues in a new file after the old one was renamed and the factory’s reopen() was called', async () => {
    const file = fileAuditFactory({ directory: folder })
    const kernel = await open({ factories: { file } })
    await enable(kernel, { path: 'audit.log', prefix: '> ' })
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    renameSync(join(folder, 'audit.log'), join(folder, 'old.log'))
    file.reopen()
    await kernel.kv.writeSecret({ path: 'b', data: { a: 1 } })
    const lines = [...linesIn(join(folder, 'old.log')), ...linesIn(join(folder, 'audit.log'))]
    expect(lines).toHaveLength(4)
    expect(lines.every((line) => line.startsWith('> {'))).toBe(true)
    expect(await verifyAudit(kernel, { sink: 'log', lines })).toMatchObject({ ok: true, entries: 4 })
  })

  it.each([
    ['outside of the directory', { file_path: '../audit.log' }],
    ['with an absolute path outside of the directory', { file_path: '/etc/audit.log' }],
    ['for the directory itself', { file_path: '.' }],
    ['below a missing folder', { file_path: 'none/audit.log' }],
    ['without a path', {}],
    ['below a symbolic link', { file_path: 'out/audit.log' }],
    ['with an invalid mode', { file_path: 'a.log', mode: '9' }],
    ['with an invalid flag', { file_path: 'a.log', log_raw: 'perhaps' }],
    ['in another format', { file_path: 'a.log', format: 'jsonx' }],
    ['with a zero byte', { file_path: 'a\u0000b' }],
  ])('is refused with 400 if configured %s', async (_, options) => {
    symlinkSync(tmpdir(), join(folder, 'out'))
    const kernel = await open({ factories: { file: fileAuditFactory({ directory: folder }) } })
    const { status, body } = await enable(kernel, options)
    expect(status).toBe(400)
    expect((body as { errors: string[] }).errors[0]).toMatch(/options/)
    expect((await kernel.audit.listDevices()).devices).toEqual({})
  })

  it('is refused with 400 if the kernel has no factory for its type or the name is in use', async () => {
    const kernel = await open({ sinks: { log: () => {} } })
    expect((await enable(kernel, { file_path: 'a.log' })).status).toBe(400)
    expect((await sender(kernel)('DELETE', 'sys/audit/log')).status).toBe(400)
    expect((await sender(kernel)('DELETE', 'sys/audit/none')).status).toBe(204)
    const second = await open({ sinks: { log: () => {} }, factories: { file: fileAuditFactory({ directory: folder }) } })
    await expect(second.audit.enableDevice({ path: 'log', type: 'file', options: { path: 'a' } })).rejects.toMatchObject({
      status: 400,
    })
    await second.audit.enableDevice({ path: 'b', type: 'file', options: { path: 'a' } })
    await expect(second.audit.enableDevice({ path: 'b', type: 'file', options: { path: 'c' } })).rejects.toMatchObject({
      status: 400,
    })
  })

  it('makes kernels without a factory for its type refuse to open and refuse requests with ERR_AUDIT', async () => {
    const factories = { file: fileAuditFactory({ directory: folder }) }
    const without = await open(undefined)
    const kernel = await open({ factories })
    await kernel.audit.enableDevice({ path: 'log', type: 'file', options: { path: 'audit.log' } })
    await expect(open(undefined)).rejects.toMatchObject({ code: 'ERR_AUDIT' })
    await expect(without.kv.writeSecret({ path: 'a', data: { a: 1 } })).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      committed: false,
    })
    await kernel.audit.disableDevice({ path: 'log' })
    await without.kv.writeSecret({ path: 'a', data: { a: 1 } })
  })
})

it('whoUsed lists the uses of one key or one secret from an audit file', async () => {
  await mkdir(join(folder, 'logs'))
  const path = join(folder, 'logs', 'audit.log')
  const kernel = await open({ sinks: { file: fileAudit({ path }) } })
  await kernel.transit.createKey({ name: 'orders' })
  await kernel.transit.createKey({ name: 'others' })
  await kernel.policies.writePolicy({ name: 'p', policy: 'path "transit/encrypt/orders" { capabilities = ["update"] }' })
  const { client_token } = await kernel.tokens.createToken({ policies: ['p'], display_name: 'ann' })
  const ann = kernel.as(client_token, { remoteAddress: '10.0.0.7' })
  await ann.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(3) })
  await ann.transit.encrypt({ name: 'others', plaintext: new Uint8Array(3) }).catch(() => {})
  await ann.transit.rotateKey({ name: 'orders' }).catch(() => {})
  await kernel.kv.writeSecret({ path: 'app/orders', data: { a: 1 } })
  const usesOf = async (mount: string, name: string): Promise<AuditUse[]> => {
    const uses: AuditUse[] = []
    for await (const use of whoUsed(kernel, { lines: createReadStream(path), mount, name })) uses.push(use)
    return uses
  }
  const uses = await usesOf('transit/', 'orders')
  expect(uses.map(({ display_name, path: at, outcome }) => [display_name, at, outcome])).toEqual([
    ['app', 'transit/keys/orders', 'done'],
    ['token-ann', 'transit/encrypt/orders', 'done'],
    ['token-ann', 'transit/keys/orders/rotate', 'refused'],
  ])
  expect(uses[1]).toMatchObject({ remote_address: '10.0.0.7', accessor: uses[2]?.accessor, policies: ['default', 'p'] })
  expect((await usesOf('secret', 'app/orders')).map(({ path: at }) => at)).toEqual(['secret/app/orders'])
  expect(await usesOf('secret', 'orders')).toEqual([])
})
