import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type AuditEntry,
  type AuditVerdict,
  createKernel,
  type Kernel,
  keySeal,
  memoryStorage,
  type Storage,
  verifyAudit,
} from '../../../src/index.ts'
import { SEAL_KEY, sender } from './support.ts'

let storage: Storage
let lines: string[]
const kernels: Kernel[] = []
/** Selects the entries that the sink refuses. */
let fails = (_entry: AuditEntry): boolean => false

async function open(): Promise<Kernel> {
  const sink = (entry: AuditEntry): void => {
    if (fails(entry)) throw new Error('full')
    lines.push(entry.line)
  }
  const kernel = await createKernel({
    storage,
    seal: keySeal(SEAL_KEY),
    initialize: true,
    ports: { audit: { sinks: { main: sink } } },
  })
  kernels.push(kernel)
  return kernel
}

beforeEach(() => {
  storage = memoryStorage()
  lines = []
  fails = () => false
})
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.close()
})

async function work(kernel: Kernel, requests: number): Promise<void> {
  for (let n = 0; n < requests; n++) await kernel.kv.writeSecret({ path: `p${n}`, data: { n: String(n) } })
}

const kinds = ({ problems }: AuditVerdict) => problems.map(({ kind }) => kind)
const verify = (kernel: Kernel, log: readonly string[] = lines, partial = false) =>
  verifyAudit(kernel, { sink: 'main', lines: log, partial })

describe('verifyAudit on an intact log', () => {
  it('accepts the log as lines, as chunks of bytes that split lines, and as lines with a prefix', async () => {
    const kernel = await open()
    await work(kernel, 5)
    expect(await verify(kernel)).toEqual({ ok: true, entries: 10, problems: [], more: false })
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => bytes.subarray(n * 7, n * 7 + 7))
    expect(await verifyAudit(kernel, { sink: 'main', lines: pieces })).toMatchObject({ ok: true, entries: 10 })
    expect(
      await verify(
        kernel,
        lines.map((line) => `audit: ${line}`),
      ),
    ).toMatchObject({ ok: true })
  })

  it('accepts a log that several kernels wrote, whether one after another or concurrently', async () => {
    const first = await open()
    await work(first, 3)
    await first.close()
    const [second, third] = [await open(), await open()]
    await Promise.all([work(second, 4), work(third, 4)])
    expect(await verify(second)).toMatchObject({ ok: true, entries: 22 })
    await second.close()
    expect(await verify(third)).toMatchObject({ ok: true })
  })

  it('reports no missing entry if the sink refused some entries', async () => {
    const kernel = await open()
    await work(kernel, 2)
    fails = ({ type }) => type === 'request'
    await expect(work(kernel, 1)).rejects.toMatchObject({ code: 'ERR_AUDIT' })
    fails = ({ type }) => type === 'response'
    await expect(work(kernel, 1)).rejects.toMatchObject({ code: 'ERR_AUDIT' })
    fails = () => false
    await work(kernel, 2)
    expect(await verify(kernel)).toMatchObject({ ok: true, entries: 9 })
  })

  it('accepts an entry that the sink wrote before it reported a failure', async () => {
    const kernel = await open()
    await work(kernel, 1)
    fails = (entry) => lines.push(entry.line) > 0
    await expect(work(kernel, 1)).rejects.toMatchObject({ code: 'ERR_AUDIT' })
    fails = () => false
    await work(kernel, 1)
    expect(await verify(kernel)).toMatchObject({ ok: true, entries: 5 })
  })

  it('accepts entries before and after a seal', async () => {
    const kernel = await open()
    await work(kernel, 2)
    await kernel.seal.seal()
    await kernel.seal.unseal()
    await work(kernel, 2)
    expect(await verify(kernel)).toMatchObject({ ok: true, entries: 8 })
  })
})

describe('verifyAudit of a rotated log', () => {
  it('on the newer file alone suggests partial: true in each problem that this option would avoid', async () => {
    const kernel = await open()
    await work(kernel, 3)
    await kernel.seal.seal()
    await kernel.seal.unseal()
    await work(kernel, 2)
    for (let cut = 1; cut < lines.length; cut++) {
      const newer = lines.slice(cut)
      const { ok, problems } = await verify(kernel, newer)
      expect(ok).toBe(false)
      for (const { message } of problems) expect(message).toContain('pass the older files first or set partial: true')
      expect(await verify(kernel, newer, true)).toMatchObject({ ok: true })
      expect(await verify(kernel, lines.slice(0, cut).concat(newer))).toMatchObject({ ok: true })
    }
  })

  it('on an older file alone requests the newest file', async () => {
    const kernel = await open()
    await work(kernel, 3)
    for (const partial of [false, true]) {
      const { problems } = await verify(kernel, lines.slice(0, 4), partial)
      expect(problems.map(({ message }) => message)).toEqual([
        expect.stringMatching(/ends with entry 4, but 6 entries were written; if the log is rotated, also pass the newest file$/),
      ])
    }
  })
})

describe('verifyAudit on a log of ten entries', () => {
  let kernel: Kernel
  beforeEach(async () => {
    kernel = await open()
    await work(kernel, 5)
  })

  it.each(Array.from({ length: 10 }, (_, n) => n))('reports that entry %i was removed', async (n) => {
    const verdict = await verify(kernel, lines.toSpliced(n, 1))
    expect(kinds(verdict)).toEqual([n === 9 ? 'cut off' : 'missing'])
    expect(verdict.ok).toBe(false)
  })

  it.each(Array.from({ length: 10 }, (_, n) => n))('reports a change anywhere in entry %i', async (n) => {
    const line = lines[n] as string
    const places = [
      line.indexOf('"data"') + 1,
      line.indexOf('T'),
      line.indexOf('secret/'),
      line.lastIndexOf('"number"') + 10,
      line.length - 6,
    ]
    for (const at of places.filter((place) => place > 0)) {
      const other = line[at] === '1' ? '2' : '1'
      const verdict = await verify(kernel, lines.with(n, line.slice(0, at) + other + line.slice(at + 1)))
      expect(
        verdict.problems.some(({ line: where }) => where === n + 1 || where === n + 2) || kinds(verdict).includes('cut off'),
      ).toBe(true)
      expect(verdict.ok).toBe(false)
    }
  })

  it('reports two entries in swapped order as moved', async () => {
    const [a, b] = [lines[3] as string, lines[4] as string]
    const verdict = await verify(kernel, lines.with(3, b).with(4, a))
    expect(kinds(verdict)).toContain('moved')
  })

  it('reports a copy of an earlier entry as moved', async () => {
    expect(kinds(await verify(kernel, lines.toSpliced(6, 0, lines[2] as string)))).toEqual(['moved'])
    expect(kinds(await verify(kernel, lines.toSpliced(3, 0, lines[2] as string)))).toEqual(['moved'])
  })

  it('reports the end as cut off in a truncated log and in an empty log', async () => {
    expect(kinds(await verify(kernel, lines.slice(0, 7)))).toEqual(['cut off'])
    expect(kinds(await verify(kernel, []))).toEqual(['cut off'])
  })

  it('reports a truncated end in another kernel once the first kernel has ticked, sealed or closed', async () => {
    await kernel.tick()
    const second = await open()
    expect(kinds(await verify(second, lines.slice(0, 9)))).toEqual(['cut off'])
    await work(kernel, 1)
    await kernel.seal.seal()
    expect(kinds(await verify(second, lines.slice(0, 11)))).toEqual(['cut off'])
    await kernel.seal.unseal()
    await work(kernel, 1)
    await kernel.close()
    expect(await verify(second)).toMatchObject({ ok: true, entries: 14 })
    expect(kinds(await verify(second, lines.slice(0, 13)))).toEqual(['cut off'])
  })

  it('reports each line that is not an audit entry as unreadable', async () => {
    expect(kinds(await verify(kernel, lines.toSpliced(4, 0, '{"type":"request"}', 'x')))).toEqual(['unreadable', 'unreadable'])
  })

  it('reports entries that a kernel on another store wrote as changed', async () => {
    const otherLines: string[] = []
    const otherKernel = await createKernel({
      storage: memoryStorage(),
      seal: keySeal(SEAL_KEY),
      initialize: true,
      ports: { audit: { sinks: { main: ({ line }) => void otherLines.push(line) } } },
    })
    await work(otherKernel, 1)
    await otherKernel.close()
    expect(kinds(await verify(kernel, [...lines, ...otherLines]))).toEqual(['changed', 'changed'])
  })

  it('with partial: true accepts a log without its first entries only if no later entry is missing', async () => {
    expect(await verify(kernel, lines.slice(4), true)).toMatchObject({ ok: true, entries: 6 })
    expect(kinds(await verify(kernel, lines.slice(4)))).toEqual(['missing'])
    expect(kinds(await verify(kernel, lines.slice(4, 9), true))).toEqual(['cut off'])
    expect(kinds(await verify(kernel, lines.slice(4).toSpliced(2, 1), true))).toEqual(['missing'])
  })
})

it('a kernel that never ticks stores the end of its audit chain at least every 1,024 entries', async () => {
  const kernel = await open()
  const send = sender(kernel)
  for (let n = 0; n < 520; n++) await send('GET', 'secret/none')
  await new Promise((resolve) => setImmediate(resolve))
  const second = await open()
  const [first] = await verify(second, []).then(({ problems }) => problems)
  expect(first?.message).toMatch(/10(2[4-9]|[34]\d) entries/)
})

it('verifyAudit rejects with ERR_NOT_FOUND for an unknown sink', async () => {
  const kernel = await open()
  await expect(verifyAudit(kernel, { sink: 'other', lines: [] })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})
