/**
 * api-gateway (configsvc.md 6.10).
 */
import { expect, it } from 'vitest'
import { describeKind } from './kind-table.ts'
import { accepted } from './outcome.ts'

const MAIN = { Name: 'main', Port: 80, Protocol: 'http' }

const listeners = (...all: readonly object[]) => ({ Listeners: all.map((members) => ({ ...MAIN, ...members })) })

const certificate = (members: object) => listeners({ TLS: { Certificates: [members] } })

describeKind({
  kind: 'api-gateway',
  aliases: { MinVersion: 'tls_min_version', MaxVersion: 'tls_max_version' },
  full: [
    {
      Kind: 'api-gateway',
      Name: 'gate',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Listeners: [
        {
          Name: 'main.v1-a',
          Hostname: '*.shop.example',
          Port: 65535,
          Protocol: 'http',
          MaxRequestHeadersKB: 0,
          TLS: {
            Certificates: [
              { Kind: 'inline-certificate', Name: 'one', SectionName: 's', Namespace: 'team-b', Partition: 'west' },
              { Kind: 'file-system-certificate', Name: 'two' },
            ],
            MinVersion: 'TLSv1_0',
            MaxVersion: 'TLSv1_2',
            CipherSuites: ['TLS_RSA_WITH_AES_128_CBC_SHA'],
          },
        },
        { Name: 'second', Hostname: '*.shop.example', Port: 65535, Protocol: 'http' },
        { Name: '3', Port: 1, Protocol: 'tcp' },
      ],
    },
  ],
  stored: [
    { what: 'protocols in lower case', sent: listeners({ Protocol: 'TCP' }), stored: listeners({ Protocol: 'tcp' }) },
    {
      what: 'inline-certificate as the default kind of a certificate',
      sent: certificate({ Name: 'one' }),
      stored: certificate({ Kind: 'inline-certificate', Name: 'one' }),
    },
    {
      what: 'inline-certificate for an empty kind of a certificate',
      sent: certificate({ Kind: '', Name: 'one' }),
      stored: certificate({ Kind: 'inline-certificate', Name: 'one' }),
    },
  ],
  refused: [
    { at: 'Name', what: 'a wildcard as its name', sent: { Name: '*', ...listeners({}) } },
    { at: 'Listeners', what: 'an entry without listeners', sent: {} },
    { at: 'Listeners[0].Name', what: 'a listener without a name', sent: listeners({ Name: '' }) },
    { at: 'Listeners[0].Name', what: 'a listener name in upper case', sent: listeners({ Name: 'Main' }) },
    { at: 'Listeners[0].Name', what: 'a listener name with an empty label', sent: listeners({ Name: 'a..b' }) },
    { at: 'Listeners[0].Name', what: 'a listener name that ends in a hyphen', sent: listeners({ Name: 'a-' }) },
    { at: 'Listeners[0].Name', what: 'a listener name that is too long', sent: listeners({ Name: 'a'.repeat(254) }) },
    { at: 'Listeners[1].Name', what: 'a duplicate listener name', sent: listeners({}, { Port: 81 }) },
    { at: 'Listeners[0].Hostname', what: 'a host name over tcp', sent: listeners({ Protocol: 'tcp', Hostname: 'a.example' }) },
    { at: 'Listeners[0].Hostname', what: 'a wildcard as the whole host name', sent: listeners({ Hostname: '*' }) },
    {
      at: 'Listeners[0].Hostname',
      what: 'a wildcard in the middle of a host name',
      sent: listeners({ Hostname: 'a.*.example' }),
    },
    { at: 'Listeners[0].Hostname', what: 'two wildcards in a host name', sent: listeners({ Hostname: '*.*.example' }) },
    { at: 'Listeners[0].Hostname', what: 'a host name that is invalid', sent: listeners({ Hostname: 'a b' }) },
    { at: 'Listeners[0].Port', what: 'port 0', sent: listeners({ Port: 0 }) },
    { at: 'Listeners[0].Port', what: 'a port above 65535', sent: listeners({ Port: 65536 }) },
    { at: 'Listeners[1].Port', what: 'two protocols on one port', sent: listeners({}, { Name: 'b', Protocol: 'tcp' }) },
    { at: 'Listeners[1].Port', what: 'two host names on one port', sent: listeners({}, { Name: 'b', Hostname: 'b.example' }) },
    { at: 'Listeners[0].Protocol', what: 'a listener without a protocol', sent: listeners({ Protocol: '' }) },
    { at: 'Listeners[0].Protocol', what: 'a protocol that is invalid', sent: listeners({ Protocol: 'grpc' }) },
    { at: 'Listeners[0].MaxRequestHeadersKB', what: 'a negative limit', sent: listeners({ MaxRequestHeadersKB: -1 }) },
    {
      at: 'Listeners[0].TLS.Certificates[0].Name',
      what: 'a certificate without a name',
      sent: certificate({ Kind: 'inline-certificate' }),
    },
    {
      at: 'Listeners[0].TLS.Certificates[0].Kind',
      what: 'a certificate of another kind',
      sent: certificate({ Kind: 'mesh', Name: 'a' }),
    },
    { at: 'Listeners[0].TLS.MinVersion', what: 'an invalid TLS version', sent: listeners({ TLS: { MinVersion: '1.2' } }) },
    {
      at: 'Listeners[0].TLS',
      what: 'a maximum TLS version below the minimum',
      sent: listeners({ TLS: { MinVersion: 'TLSv1_3', MaxVersion: 'TLSv1_0' } }),
    },
    {
      at: 'Listeners[0].TLS.CipherSuites',
      what: 'cipher suites if only TLS 1.3 is allowed',
      sent: listeners({ TLS: { MinVersion: 'TLSv1_3', CipherSuites: ['TLS_RSA_WITH_AES_128_CBC_SHA'] } }),
    },
    {
      at: 'Listeners[0].Default',
      what: 'JWT requirements in Default',
      sent: listeners({ Default: { JWT: { Providers: [{ Name: 'a' }] } } }),
    },
    {
      at: 'Listeners[0].Override',
      what: 'JWT requirements in Override',
      sent: listeners({ Override: { JWT: { Providers: [{ Name: 'a' }] } } }),
    },
  ],
})

it('an api-gateway is stored without the Status of the request, even if that Status is invalid', () => {
  const sent = { Kind: 'api-gateway', Name: 'gate', ...listeners({}) }
  expect(accepted({ ...sent, Status: { Conditions: [{ Type: 'Accepted' }] } })).toEqual(accepted(sent))
})
