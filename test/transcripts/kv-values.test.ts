/** Unlike OpenBao, strongroom returns numbers exactly. */
import { expect, it } from 'vitest'
import { jsonText } from '../../src/core/json/json-text.ts'
import type { KernelResponse } from '../../src/index.ts'
import { openKv2 } from '../fixtures/kv-mounts.ts'
import { describeWithShared, readSharedJson } from '../fixtures/shared-data.ts'
import { MEMORY } from '../fixtures/stores.ts'

interface Golden {
  readonly sent: string
  readonly must: 'exact' | 'equal' | 'refused'
  readonly text?: string
}

const FILE = 'transcripts/openbao/golden/kv-values.json'

const VERSIONS = {
  'version 1': { path: 'secret/v', wrap: (sent: string) => `{"v": ${sent}}`, of: (data: Data) => data['v'] },
  'version 2': {
    path: 'kv2/data/v',
    wrap: (sent: string) => `{"data": {"v": ${sent}}}`,
    of: (data: Data) => (data['data'] as Data)['v'],
  },
}
type Data = Readonly<Record<string, unknown>>

/** OpenBao sorts members by name. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

describeWithShared(FILE, 'recorded JSON values', () => {
  const { values } = readSharedJson<{ readonly values: readonly Golden[] }>(FILE)

  it.each(Object.entries(VERSIONS))('are returned by kv %s with exact numbers, or refused', async (_, { path, wrap, of }) => {
    expect(values.length).toBeGreaterThan(25)
    const { storage, drop } = await MEMORY.open()
    const kernel = await openKv2({ storage, initialize: true })
    const headers = { 'X-Service-Token': kernel.rootToken as string }
    const ask = (method: string, at: string, body?: Buffer): Promise<KernelResponse> =>
      kernel.handle({ method, path: `/v1/${at}`, headers, body })
    for (const [index, { sent, must, text }] of values.entries()) {
      const written = await ask('POST', `${path}${index}`, Buffer.from(wrap(sent)))
      const read = await ask('GET', `${path}${index}`)
      expect([sent, written.status < 300, read.status]).toEqual([sent, must !== 'refused', must === 'refused' ? 404 : 200])
      if (must === 'refused') continue
      const value = of((read.body as { data: Data }).data)
      // `jsonText` accepts only objects.
      if (must === 'exact') expect(jsonText({ v: sorted(value) })).toBe(`{"v":${text}}`)
      else expect(Number(value) + 0).toBe(Number(sent) + 0)
    }
    await kernel.close()
    await drop()
  })
})
