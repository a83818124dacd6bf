import { describe, expect, it } from 'vitest'
import { Attempts } from '../../../src/adapters/storage-etcd/attempts.ts'
import { connectionError, MemberSilent, statusError } from '../../../src/adapters/storage-etcd/failures.ts'

const silent = connectionError('a:1', new MemberSilent('it did not answer within 68 ms'), true)
const refused = connectionError('a:1', new Error('connect ECONNREFUSED'), false)
const leaderless = statusError('a:1', 14, 'etcdserver: no leader')

/** What is told of the attempts, in their order. */
const told = (...errors: Parameters<Attempts['note']>[0][]): string => {
  const attempts = new Attempts()
  for (const error of errors) attempts.note(error)
  return attempts.error('etcd: no answer').message
}

describe('what is told of a member that was asked again and again', () => {
  it.each([
    ['why there was no connection, and not the silence after it', [refused, silent], 'connect ECONNREFUSED'],
    ['why there is none now, after silence', [silent, refused], 'connect ECONNREFUSED'],
    ['what it has said, and not that it is gone', [leaderless, refused, silent], 'no leader'],
    ['what it says now', [refused, leaderless], 'no leader'],
    ['its silence, where there is nothing else', [silent, silent], 'it did not answer within 68 ms'],
  ])('is %s', (_, errors, text) => {
    expect(told(...errors)).toBe(`etcd: no answer; etcd at a:1: ${text}`)
  })
})
