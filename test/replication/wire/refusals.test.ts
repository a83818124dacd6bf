import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { readRefusal, refusalMessage } from '../../../src/sys/replication/wire/calls.ts'

const refusal = (members: Record<string, unknown>) =>
  readRefusal({ refusal: { code: 'ERR_NOT_FOUND', message: 'no such role', ...members } }) as KernelError

describe('an error that another cluster has sent', () => {
  it('has the sent code, status and details', () => {
    const sent = new KernelError('ERR_NOT_FOUND', 'no such role', { status: 400, details: { current_version: 3 } })
    expect(readRefusal(refusalMessage(sent))).toEqual(sent)
    expect(readRefusal(refusalMessage(sent))).toMatchObject({ status: 400, details: { current_version: 3 } })
  })

  it.each([0, 99, 200, 399, 600, 1e9, 400.5, Number.NaN, -1, '400', null, [400]])(
    'has the usual status of its code if the sent status is the invalid %j',
    (status) => {
      expect(refusal({ status })).toMatchObject({ code: 'ERR_NOT_FOUND', status: 404 })
    },
  )

  it.each([[null], [7], ['text'], [{ nested: {} }], [[[]]]])(
    'has no details if the sent details are the invalid %j',
    (details) => {
      expect(Object.values(refusal({ details }).details).filter((value) => typeof value === 'object')).toEqual([])
    },
  )

  it('has the code ERR_UPSTREAM if this release does not know the sent code', () => {
    expect(refusal({ code: 'ERR_NEW' }).code).toBe('ERR_UPSTREAM')
  })
})
