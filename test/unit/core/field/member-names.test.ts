import { describe, expect, it } from 'vitest'
import { MemberNames } from '../../../../src/core/field/member-names.ts'

const NAMES = new MemberNames(['ConnectTimeout', 'Protocol'], {
  aliases: { connect_timeout: 'ConnectTimeout' },
  ignores: ['kind'],
})

function sent(object: object): { readonly found: unknown; readonly unknown: readonly string[] } {
  const unknown: string[] = []
  const found = NAMES.sent(object, (name) => unknown.push(name))
  return { found, unknown }
}

describe('MemberNames', () => {
  it.each([
    { body: { Protocol: 1 }, found: { Protocol: 1 } },
    { body: { pRoToCoL: 1 }, found: { Protocol: 1 } },
    { body: { connect_timeout: 1 }, found: { ConnectTimeout: 1 } },
    { body: { Connect_Timeout: 1 }, found: { ConnectTimeout: 1 } },
    { body: { connecttimeout: 1, connect_timeout: 2 }, found: { ConnectTimeout: 1 } },
    { body: { connect_timeout: 2, connecttimeout: 1 }, found: { ConnectTimeout: 1 } },
    { body: { connecttimeout: 1, ConnectTimeout: 2 }, found: { ConnectTimeout: 2 } },
    { body: { ConnectTimeout: 2, CONNECTTIMEOUT: 1 }, found: { ConnectTimeout: 2 } },
  ])('finds the members of $body by name in any letter case, or by alias', ({ body, found }) => {
    expect(sent(body)).toEqual({ found, unknown: [] })
  })

  it('reports each unknown member except the ignored ones', () => {
    expect(sent({ KIND: 1, pro_tocol: 2, __proto__x: 3 })).toEqual({ found: {}, unknown: ['pro_tocol', '__proto__x'] })
  })

  it('reports __proto__ and constructor as unknown members', () => {
    expect(sent(JSON.parse('{"__proto__": 1, "constructor": 2}'))).toEqual({ found: {}, unknown: ['__proto__', 'constructor'] })
  })
})
