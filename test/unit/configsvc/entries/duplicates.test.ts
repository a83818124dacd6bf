/** A refusal of a duplicate in a list names the member and its value, for every kind and list. */
import { describe, expect, it } from 'vitest'
import { outcome } from './outcome.ts'

const twice = <T>(item: T): readonly T[] => [item, item]

const listener = { Port: 80, Protocol: 'http', Services: [{ Name: 'web' }] }

const ingress = (...Listeners: readonly object[]) => ({ Kind: 'ingress-gateway', Name: 'front', Listeners })

/** Every list of an entry whose elements must be distinct. */
const DUPLICATES: readonly (readonly [refusal: string, entry: object])[] = [
  ['Listeners[1].Port: 1111 is used twice', ingress({ ...listener, Port: 1111 }, { ...listener, Port: 1111 })],
  ['Listeners[1].Port: 0 is used twice', ingress({ ...listener, Port: 0 }, { ...listener, Port: undefined })],
  [
    'Listeners[0].Services[1].Name: "WEB" is used twice with Namespace "a"',
    ingress({
      ...listener,
      Services: [
        { Name: 'web', Namespace: 'a' },
        { Name: 'WEB', Namespace: 'a' },
      ],
    }),
  ],
  [
    'Listeners[0].Services[1].Hosts[1]: "A.example" is used twice',
    ingress({
      ...listener,
      Services: [
        { Name: 'web', Hosts: ['a.example'] },
        { Name: 'api', Hosts: ['b.example', 'A.example'] },
      ],
    }),
  ],
  [
    'Listeners[1].Name: "main" is used twice',
    { Kind: 'api-gateway', Name: 'gate', Listeners: twice({ Name: 'main', Port: 80, Protocol: 'http' }) },
  ],
  [
    'Listeners[1].Port: 80 is used twice, so both listeners must have the same Hostname and Protocol',
    {
      Kind: 'api-gateway',
      Name: 'gate',
      Listeners: [
        { Name: 'a', Port: 80, Protocol: 'http' },
        { Name: 'b', Port: 80, Protocol: 'tcp' },
      ],
    },
  ],
  [
    'Services[1].Name: "Billing" is used twice',
    { Kind: 'terminating-gateway', Name: 'exit', Services: [{ Name: 'billing' }, { Name: 'Billing' }] },
  ],
  [
    'Parents[1].Name: "gate" is used twice with Kind "api-gateway", SectionName "main"',
    { Kind: 'tcp-route', Name: 'route', Parents: twice({ Name: 'gate', SectionName: 'main' }) },
  ],
  [
    'Destination.Addresses[1]: "a.example" is used twice',
    { Kind: 'service-defaults', Name: 'web', Destination: { Addresses: twice('a.example'), Port: 80 } },
  ],
  [
    'Sources[1].Name: "api" is used twice with Peer "east"',
    { Kind: 'service-intentions', Name: 'web', Sources: twice({ Name: 'api', Peer: 'east', Action: 'allow' }) },
  ],
  [
    'Splits[1].Service: "Api" is used twice with ServiceSubset "v2"; each destination may be named only once',
    {
      Kind: 'service-splitter',
      Name: 'web',
      Splits: [
        { Weight: 50, Service: 'api', ServiceSubset: 'v2' },
        { Weight: 50, Service: 'Api', ServiceSubset: 'v2' },
      ],
    },
  ],
  [
    'Sources[0].Permissions[0].HTTP.Methods[2]: "GET" is used twice',
    {
      Kind: 'service-intentions',
      Name: 'web',
      Sources: [{ Name: 'api', Permissions: [{ Action: 'allow', HTTP: { PathExact: '/', Methods: ['get', 'put', 'GET'] } }] }],
    },
  ],
  [
    'Routes[0].Match.HTTP.Methods[1]: "GET" is used twice',
    { Kind: 'service-router', Name: 'web', Routes: [{ Match: { HTTP: { PathExact: '/', Methods: twice('GET') } } }] },
  ],
]

describe('a duplicate in a list of an entry', () => {
  it.each(DUPLICATES)('is refused: %s', (refusal, entry) => {
    expect(outcome(entry)).toBe(refusal)
  })
})
