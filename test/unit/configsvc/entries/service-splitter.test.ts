/**
 * service-splitter (configsvc.md 6.5).
 */
import { describeKind } from './kind-table.ts'

const split = (...weights: number[]) => ({ Splits: weights.map((Weight, index) => ({ Weight, ServiceSubset: `v${index}` })) })

describeKind({
  kind: 'service-splitter',
  full: [
    {
      Kind: 'service-splitter',
      Name: 'web',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Splits: [
        {
          Weight: 99.99,
          Service: 'other',
          ServiceSubset: 'v1',
          Namespace: 'team-b',
          Partition: 'west',
          RequestHeaders: { Add: { a: '1' }, Set: { b: '2' }, Remove: ['c'] },
          ResponseHeaders: { Add: { a: '1' }, Set: { b: '2' }, Remove: ['c'] },
        },
        { Weight: 0.01 },
        { Weight: 0, ServiceSubset: 'v2' },
      ],
    },
  ],
  stored: [
    { what: 'weights rounded to hundredths', sent: split(33.333, 33.333, 33.336), stored: split(33.33, 33.33, 33.34) },
    { what: 'weights that are sent as strings', sent: { Splits: [{ Weight: '1e2' }] }, stored: { Splits: [{ Weight: 100 }] } },
    {
      what: 'a missing weight as 0',
      sent: { Splits: [{ Weight: 100 }, { Service: 'b' }] },
      stored: { Splits: [{ Weight: 100 }, { Weight: 0 }] },
    },
    { what: 'one service in two subsets', sent: split(50, 50), stored: split(50, 50) },
  ],
  refused: [
    { at: 'Name', what: 'a wildcard as its name', sent: { Name: '*', Splits: [{ Weight: 100 }] } },
    { at: 'Splits', what: 'an entry without splits', sent: {} },
    { at: 'Splits', what: 'weights with a sum below 100', sent: split(50, 49.99) },
    { at: 'Splits', what: 'weights with a sum above 100', sent: split(50, 50.01) },
    { at: 'Splits[0].Weight', what: 'a negative weight', sent: split(-10, 110) },
    { at: 'Splits[1].Weight', what: 'a weight above 100', sent: split(0, 110) },
    { at: 'Splits[0].Weight', what: 'a weight that is not a number', sent: { Splits: [{ Weight: 'half' }] } },
    {
      at: 'Splits[1].Service',
      what: 'a duplicate destination',
      sent: {
        Splits: [
          { Weight: 50, Service: 'a' },
          { Weight: 50, Service: 'a' },
        ],
      },
    },
    {
      at: 'Splits[1].Service',
      what: 'the service itself twice, by omission and by its name',
      sent: { Splits: [{ Weight: 50 }, { Weight: 50, Service: 'web' }] },
    },
  ],
})
