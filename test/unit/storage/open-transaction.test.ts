import { describe, expect, it } from 'vitest'
import { BufferedTransaction } from '../../../src/core/storage/buffered-transaction.ts'
import type { Commit, Op } from '../../../src/core/storage/port.ts'

const value = new Uint8Array([1])
const DONE: Commit = { ok: true, revision: 1, appended: [] }

function open() {
  const sent: Op[][] = []
  const transaction = new BufferedTransaction((ops) => {
    sent.push([...ops])
    return DONE
  })
  return { transaction, sent }
}

describe('a buffered transaction', () => {
  it('sends all its operations in one commit, each key once', async () => {
    const { transaction, sent } = open()
    transaction.put('app/a', value)
    transaction.put('app/a', value)
    transaction.del('app/b')
    transaction.join([
      { op: 'put', key: 'r/1', value, expect: 3 },
      { op: 'check', key: 'r/2', expect: 4 },
    ])
    transaction.join([
      { op: 'append', log: 'log', value },
      { op: 'check', key: 'r/2', expect: 4 },
    ])
    expect(sent).toEqual([])
    expect(await transaction.commit()).toBe(DONE)
    expect(sent).toEqual([
      [
        { op: 'put', key: 'app/a', value },
        { op: 'del', key: 'app/b' },
        { op: 'put', key: 'r/1', value, expect: 3 },
        { op: 'check', key: 'r/2', expect: 4 },
        { op: 'append', log: 'log', value },
      ],
    ])
  })

  it('sends the expected version of a record that the application writes later', async () => {
    const { transaction, sent } = open()
    transaction.join([{ op: 'check', key: 'app/a', expect: 7 }])
    transaction.put('app/a', value)
    await transaction.commit()
    expect(sent).toEqual([[{ op: 'put', key: 'app/a', value, expect: 7 }]])
  })

  it('refuses operations that conflict with earlier ones, and sends none that were passed with them', async () => {
    const { transaction, sent } = open()
    transaction.join([
      { op: 'check', key: 'r/1', expect: 1 },
      { op: 'del', key: 'r/2' },
    ])
    const put = (key: string) => ({ op: 'put', key, value }) as const
    expect(() => transaction.join([put('r/3'), put('r/2')])).toThrow(TypeError)
    expect(() => transaction.join([put('r/3'), put('r/1')])).toThrow(TypeError)
    expect(() => transaction.join([put('r/3'), { op: 'check', key: 'r/2', expect: 1 }])).toThrow(TypeError)
    await transaction.commit()
    expect(sent).toEqual([
      [
        { op: 'del', key: 'r/2' },
        { op: 'check', key: 'r/1', expect: 1 },
      ],
    ])
  })

  it('returns a conflict without a storage call if two checks expect different versions of a record', async () => {
    const { transaction, sent } = open()
    transaction.join([{ op: 'check', key: 'r/1', expect: 1 }])
    transaction.join([{ op: 'check', key: 'r/1', expect: 2 }])
    expect(await transaction.commit()).toEqual({ ok: false, conflict: 'r/1', version: 2 })
    expect(sent).toEqual([])
  })

  it('refuses every call after it has ended', async () => {
    const { transaction } = open()
    transaction.rollback()
    expect(() => transaction.put('app/a', value)).toThrow(TypeError)
    expect(() => transaction.join([])).toThrow(TypeError)
    await expect(transaction.commit()).rejects.toThrow(TypeError)
  })

  it('lets the application write only keys below app/', () => {
    const { transaction } = open()
    for (const key of ['a', 'r/app/a', '', undefined as never]) expect(() => transaction.put(key, value)).toThrow(TypeError)
    expect(() => transaction.del('r/1')).toThrow(TypeError)
  })
})
