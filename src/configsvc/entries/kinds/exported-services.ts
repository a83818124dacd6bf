/** exported-services: the services that peers and other partitions may use. */
import { invalid } from '../../../core/base/errors.ts'
import { MESH_ACCESS } from '../common/access.ts'
import { checkAtMostOne } from '../common/alternatives.ts'
import { checkHasName } from '../common/http-match.ts'
import { servicesOf } from '../common/named-services.ts'
import { defineKind, type EntryType } from '../kind.ts'
import { list, record, text, withAlias } from '../members/index.ts'
import { nameOfOther, WILDCARD } from '../names.ts'

const ONLY_NAME = 'default'

const onlyOne = () =>
  text({
    rule: (name, path) => {
      if (name === WILDCARD) throw invalid(`${path}: must not be the wildcard "*"`)
    },
  })

const CONSUMER = { Partition: onlyOne(), Peer: withAlias(onlyOne(), 'peer_name'), SamenessGroup: onlyOne() }

const consumer = record(CONSUMER, { rule: (value, path) => checkAtMostOne(value, Object.keys(CONSUMER), path) })

const service = record(
  { Name: nameOfOther(), Namespace: text(), Consumers: list(consumer) },
  {
    rule: (value, path) => {
      checkHasName(value, path)
      if (value.Namespace === WILDCARD && value.Name !== WILDCARD)
        throw invalid(`${path}.Namespace: "*" is allowed only with the Name "*"`)
      if (!value.Consumers) throw invalid(`${path}.Consumers: must contain at least one consumer`)
    },
  },
)

export const exportedServices = defineKind({
  name: 'exported-services',
  members: { Services: list(service) },
  nameOf: (name) => {
    if (name !== ONLY_NAME) throw invalid(`Name: must be the name of the partition, "${ONLY_NAME}"`)
    return name
  },
  ...MESH_ACCESS,
  refersTo: ({ Services = [] }) => servicesOf(Services),
})

export type ExportedServices = EntryType<typeof exportedServices>
