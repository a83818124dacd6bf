/**
 * bound-api-gateway entries cannot be written by callers, but those of the controller obey the same rules.
 */
import { expect, it } from 'vitest'
import { kindNamed } from '../../../../src/configsvc/entries/index.ts'
import { describeKind } from './kind-table.ts'

const listener = (members: object) => ({ Listeners: [{ Name: 'main', ...members }] })

describeKind({
  kind: 'bound-api-gateway',
  derived: true,
  full: [
    {
      Kind: 'bound-api-gateway',
      Name: 'gate',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Listeners: [
        {
          Name: 'main',
          Routes: [
            { Kind: 'http-route', Name: 'one', SectionName: 'main', Namespace: 'team-b', Partition: 'west' },
            { Kind: 'tcp-route', Name: 'two' },
          ],
          Certificates: [{ Kind: 'file-system-certificate', Name: 'three' }],
        },
        { Name: 'second' },
      ],
      Services: { web: [{ Kind: 'http-route', Name: 'one' }] },
    },
  ],
  stored: [
    {
      what: 'inline-certificate as the default kind of a certificate',
      sent: listener({ Certificates: [{ Name: 'one' }] }),
      stored: listener({ Certificates: [{ Kind: 'inline-certificate', Name: 'one' }] }),
    },
  ],
  refused: [
    { at: 'Listeners[0].Name', what: 'a listener without a name', sent: listener({ Name: '' }) },
    { at: 'Listeners[0].Routes[0].Kind', what: 'a route without a kind', sent: listener({ Routes: [{ Name: 'a' }] }) },
    { at: 'Listeners[0].Routes[0].Name', what: 'a route without a name', sent: listener({ Routes: [{ Kind: 'tcp-route' }] }) },
    { at: 'Listeners[0].Certificates[0].Name', what: 'a certificate without a name', sent: listener({ Certificates: [{}] }) },
    {
      at: 'Services["web"][0].Kind',
      what: 'a mesh entry in place of a route',
      sent: { Services: { web: [{ Kind: 'mesh', Name: 'a' }] } },
    },
  ],
})

it('callers cannot write a bound-api-gateway', () => {
  const { name, writers } = kindNamed('bound-api-gateway')
  expect(writers({ Kind: name, Name: 'gate' })).toBe(undefined)
})
