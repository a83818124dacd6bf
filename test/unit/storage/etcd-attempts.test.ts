import { describe, expect, it } from 'vitest'
import { Attempts } from '../../../src/adapters/storage-etcd/attempts.ts'
import { connectionError, MemberSilent, statusError } from '../../../src/adapters/storage-etcd/failures.ts'

const silent = connectionError('a:1', new MemberSilent('it did not answer within 68 ms'), true)
const refused = connectionError('a:1', new Error('connect ECONNREFUSED'), false)
const leaderless = statusError('a:1', 14, 'etcdserver: no leader')

/** Returns the error message after these attempts. */
const messageAfter = (...errors: Parameters<Attempts['note']>[0][]): string => {
  const attempts = new Attempts()
  for (const error of errors) attempts.note(error)
  return attempts.error('etcd: no answer').message
}

describe('the error after several attempts on an etcd member', () => {
  it.each([
    ['the connection error if the member was silent afterwards', [refused, silent], 'connect ECONNREFUSED'],
    ['the latest connection error after silence', [silent, refused], 'connect ECONNREFUSED'],
    ['the answer of the member rather than a later connection error', [leaderless, refused, silent], 'no leader'],
    ['the latest answer of the member', [refused, leaderless], 'no leader'],
    ['the timeout if there was no other error', [silent, silent], 'it did not answer within 68 ms'],
  ])('contains %s', (_, errors, text) => {
    expect(messageAfter(...errors)).toBe(`etcd: no answer; etcd at a:1: ${text}`)
  })
})
