/**
 * tcp-route (configsvc.md 6.13).
 */
import { describeKind } from './kind-table.ts'

const parents = (...Parents: readonly object[]) => ({ Parents })

describeKind({
  kind: 'tcp-route',
  plain: true,
  full: [
    {
      Kind: 'tcp-route',
      Name: 'route',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Parents: [
        { Kind: 'api-gateway', Name: 'gate' },
        { Kind: 'api-gateway', Name: 'gate', SectionName: 'main' },
        { Kind: 'api-gateway', Name: 'gate', Namespace: 'team-b' },
      ],
      Services: [{ Name: 'db', Namespace: 'team-b', Partition: 'west' }],
    },
  ],
  stored: [
    { what: 'an entry without parents and services', sent: {}, stored: { Name: 'web' } },
    {
      what: 'api-gateway as the default kind of a parent',
      sent: parents({ Name: 'a' }),
      stored: parents({ Kind: 'api-gateway' }),
    },
    { what: 'a single service as a list', sent: { Services: { Name: 'a' } }, stored: { Services: [{ Name: 'a' }] } },
    { what: 'an entry that was sent with a Status', sent: { Status: { Conditions: [] } }, stored: { Name: 'web' } },
  ],
  refused: [
    { at: 'Name', what: 'an empty name', sent: { Name: '' } },
    { at: 'Parents[0].Kind', what: 'a parent that is not an api-gateway', sent: parents({ Kind: 'ingress-gateway', Name: 'a' }) },
    { at: 'Parents[0].Name', what: 'a parent without a name', sent: parents({ SectionName: 'main' }) },
    { at: 'Parents[1].Name', what: 'a duplicate parent', sent: parents({ Name: 'a' }, { Name: 'a' }) },
    { at: 'Services', what: 'two services', sent: { Services: [{ Name: 'a' }, { Name: 'b' }] } },
    { at: 'Services[0].Name', what: 'a service without a name', sent: { Services: [{ Namespace: 'team-b' }] } },
  ],
})
