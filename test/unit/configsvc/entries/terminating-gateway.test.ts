/**
 * terminating-gateway (configsvc.md 6.9).
 */
import { describeKind } from './kind-table.ts'

const services = (...Services: readonly object[]) => ({ Services })

describeKind({
  kind: 'terminating-gateway',
  full: [
    {
      Kind: 'terminating-gateway',
      Name: 'exit',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Services: [
        {
          Name: 'billing',
          CAFile: '/tls/ca.pem',
          CertFile: '/tls/cert.pem',
          KeyFile: '/tls/key.pem',
          SNI: 'billing.example',
          DisableAutoHostRewrite: true,
          Namespace: 'team-b',
        },
        { Name: '*' },
      ],
    },
  ],
  stored: [
    { what: 'an empty list of services', sent: services(), stored: { Name: 'web' } },
    {
      what: 'a CA file without a client certificate',
      sent: services({ Name: 'a', CAFile: 'ca.pem' }),
      stored: services({ CAFile: 'ca.pem' }),
    },
    {
      what: 'one service name in two namespaces',
      sent: services({ Name: 'a' }, { Name: 'a', Namespace: 'team-b' }),
      stored: services({ Name: 'a' }, { Namespace: 'team-b' }),
    },
  ],
  refused: [
    { at: 'Name', what: 'a wildcard as its name', sent: { Name: '*' } },
    { at: 'Services[1].Name', what: 'a service without a name', sent: services({ Name: 'a' }, { SNI: 'b.example' }) },
    { at: 'Services[1].Name', what: 'a duplicate service', sent: services({ Name: 'a' }, { Name: 'a' }) },
    {
      at: 'Services[0].CAFile',
      what: 'a client certificate and key without a CA file',
      sent: services({ Name: 'a', CertFile: 'c', KeyFile: 'k' }),
    },
    {
      at: 'Services[0].CertFile',
      what: 'a key without a certificate',
      sent: services({ Name: 'a', CAFile: 'ca', KeyFile: 'k' }),
    },
    {
      at: 'Services[0].KeyFile',
      what: 'a certificate without a key',
      sent: services({ Name: 'a', CAFile: 'ca', CertFile: 'c' }),
    },
    { at: 'Services[0].Name', what: 'a service whose name is too long', sent: services({ Name: 'x'.repeat(257) }) },
  ],
})
