/**
 * The vectors of config entries: every case by path, on an empty service without ACLs.
 */
import { describe, expect, it } from 'vitest'
import { configWorld } from '../../fixtures/configsvc.ts'
import { describeWithShared } from '../../fixtures/shared-data.ts'
import { ENTRY_VECTORS, entryVectors, isAsStated, names } from '../../unit/configsvc/entries/entry-vectors.ts'

const pathOf = (kind: string, { Name, name = 'mesh' }: Readonly<Record<string, unknown>>): string =>
  `config/${kind}/${encodeURIComponent(String(Name ?? name))}`

describeWithShared(ENTRY_VECTORS, 'the vectors of config entries', () => {
  const vectors = entryVectors()

  it('contain at least 16 kinds', () => expect(vectors.length).toBeGreaterThanOrEqual(16))

  for (const { kind, cases } of vectors) {
    describe(kind, () => {
      it.each(cases.map((testCase) => [testCase.what, testCase] as const))('%s', async (_, testCase) => {
        await using world = await configWorld({ acl: { enabled: false } })
        const { ask } = world
        for (const other of testCase.with ?? [])
          expect(await ask('PUT', 'config', other)).toMatchObject({ status: 200, body: true })
        const { entry, delete: gone, result, stored = {}, field = '', exact, differs } = testCase
        const about = pathOf(kind, entry ?? gone ?? {})
        const before = await ask('GET', about)
        const { status, body } = entry ? await ask('PUT', 'config', entry) : await ask('DELETE', about)
        const after = await ask('GET', about)
        const expected = differs?.expect ?? result
        if (expected === 'refused' || (expected === 'either' && status !== 200)) {
          expect(kind === 'bound-api-gateway' ? [400, 403] : [400], body).toContain(status)
          if (field) expect(names(body, field), `${body} names ${field}`).toBe(true)
          expect(after.body).toEqual(before.body)
        } else if (gone) {
          expect({ status, body }).toEqual({ status: 200, body: {} })
          expect(after.status).toBe(404)
        } else {
          expect({ status, body }).toEqual({ status: 200, body: true })
          expect(isAsStated(after.body, stored, exact), JSON.stringify(after.body)).toBe(true)
        }
      })
    })
  }
})
