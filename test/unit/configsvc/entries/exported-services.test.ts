/**
 * exported-services (configsvc.md 6.14).
 */
import { describeKind } from './kind-table.ts'

const PEER = { Consumers: [{ Peer: 'east' }] }

const services = (...Services: readonly object[]) => ({ Name: 'default', Services })

const consumers = (...Consumers: readonly object[]) => services({ Name: 'web', Consumers })

describeKind({
  kind: 'exported-services',
  aliases: { Peer: 'peer_name' },
  full: [
    {
      Kind: 'exported-services',
      Name: 'default',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Services: [
        { Name: 'web', Namespace: 'team-b', Consumers: [{ Peer: 'east' }, { Partition: 'west' }, { SamenessGroup: 'group' }] },
        { Name: '*', Namespace: '*', ...PEER },
      ],
    },
  ],
  stored: [{ what: 'an empty list of services', sent: { Name: 'default', Services: [] }, stored: { Kind: 'exported-services' } }],
  refused: [
    { at: 'Name', what: 'a name other than "default"', sent: {} },
    { at: 'Name', what: 'an empty name', sent: { Name: '' } },
    { at: 'Services[1].Name', what: 'a service without a name', sent: services({ Name: 'a', ...PEER }, PEER) },
    {
      at: 'Services[0].Namespace',
      what: 'a wildcard as the namespace of a service',
      sent: services({ Name: 'a', Namespace: '*', ...PEER }),
    },
    { at: 'Services[0].Consumers', what: 'a service without consumers', sent: services({ Name: 'a' }) },
    {
      at: 'Services[0].Consumers[1]',
      what: 'a consumer that is a peer and a partition',
      sent: consumers({}, { Peer: 'a', Partition: 'b' }),
    },
    { at: 'Services[0].Consumers[0].Peer', what: 'a wildcard as a peer', sent: consumers({ Peer: '*' }) },
    { at: 'Services[0].Consumers[0].Partition', what: 'a wildcard as a partition', sent: consumers({ Partition: '*' }) },
    {
      at: 'Services[0].Consumers[0].SamenessGroup',
      what: 'a wildcard as a sameness group',
      sent: consumers({ SamenessGroup: '*' }),
    },
  ],
})
