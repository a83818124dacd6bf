/**
 * The operations that create a destination or change parameters of an existing one. There is one operation for each type of external store.
 */
import { base62 } from '../../../core/base/identifiers.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { storeOf } from '../ports.ts'
import { destinationId, SYNC_DESTINATION, type SyncDestinationRecord } from '../records.ts'
import { type SyncType, TYPE_IN_PATH } from '../types.ts'
import { scheduleDestinationJob } from '../work/job-cursor.ts'
import { checkAmbientCredentials, isAmbient } from './ambient.ts'
import { COMMON_FIELDS, SHOWN_DESTINATION, type ShownDestination, TAGS_FIELD } from './fields.ts'
import { parseExternalNameTemplate } from './name-template.ts'
import { nameTemplateOf, shownDestination } from './shown.ts'
import { MASK, STORE_TYPES } from './store-types.ts'
import { environmentsIn, ownershipMarkOf, validateConfig, validateTags } from './validate.ts'

interface CommonInput {
  readonly name: string
  readonly granularity?: 'secret-path' | 'secret-key' | undefined
  readonly secret_name_template?: string | undefined
  readonly custom_tags?: Readonly<Record<string, string>> | undefined
}

const destinationExists =
  (type: SyncType) =>
  (tx: Tx, { name = '' }: Readonly<Record<string, string>>): boolean =>
    tx.get(SYNC_DESTINATION, destinationId({ namespace: tx.call.namespace.uuid, type, name })) !== undefined

function writeDestination(
  tx: Tx,
  type: SyncType,
  common: CommonInput,
  given: Readonly<Record<string, unknown>>,
): ShownDestination {
  const store = storeOf(tx.env, type)
  const { name } = common
  const id = destinationId({ namespace: tx.call.namespace.uuid, type, name })
  const old = tx.get(SYNC_DESTINATION, id)
  const config = mergedConfig(type, old, given)
  const { ambient_in: _, ...before } = old ?? {}
  const record: SyncDestinationRecord = {
    ...before,
    config,
    granularity: common.granularity ?? old?.granularity ?? store.rules.granularityDefault,
    template: common.secret_name_template ?? old?.template ?? '',
    custom_tags: common.custom_tags ?? old?.custom_tags ?? {},
    generation: tx.once('generation', async () => base62(tx.env.entropy, 16)),
    ...(isAmbient(store, config) && { ambient_in: tx.call.namespace.path }),
  }
  parseExternalNameTemplate(nameTemplateOf(record, { type }, tx.env), record.granularity)
  validateTags(store, record.custom_tags, ownershipMarkOf(tx.env.ciphertextPrefix))
  validateConfig(store, config)
  checkAmbientCredentials(store, config, tx.call.namespace.path)
  tx.put(SYNC_DESTINATION, id, record)
  if (old) scheduleDestinationJob(tx, id, old.ending ? 'end' : isOtherTarget(type, old, record) ? 'all' : 'failed')
  tx.event('sync_destination.written', { destination: `${type}/${name}` })
  return shownDestination(tx.env, id, record)
}

function mergedConfig(
  type: SyncType,
  old: SyncDestinationRecord | undefined,
  given: Readonly<Record<string, unknown>>,
): SyncDestinationRecord['config'] {
  const { defaults, masked } = STORE_TYPES[type]
  // Ignore masked credentials: a client that writes back the configuration that it has read does not intend to change them.
  const named = Object.entries(given).filter(
    ([field, value]) => value !== undefined && !(masked.includes(field) && value === MASK),
  )
  return { ...defaults, ...old?.config, ...Object.fromEntries(named) }
}

/**
 * Whether the tags or parameters other than credentials have changed. All secrets must then be pushed again, because the destination may be
 * another external store, or their tags are outdated.
 */
function isOtherTarget(type: SyncType, old: SyncDestinationRecord, record: SyncDestinationRecord): boolean {
  const { masked } = STORE_TYPES[type]
  const place = ({ config, custom_tags }: SyncDestinationRecord) =>
    JSON.stringify([...entriesOf(config).filter(([field]) => !masked.includes(field)), entriesOf(custom_tags)])
  return place(old) !== place(record)
}

const entriesOf = (object: Readonly<Record<string, unknown>>) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))

/**
 * @throws KernelError 400 if a required parameter is missing, if the adapter of the external store does not accept a value, or if a value
 *   is invalid for this type of external store.
 * @throws KernelError 502 if the method `validate` of the adapter fails.
 */
export const writeCloudASm = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/cloud-a-sm/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Creates a destination in AWS Secrets Manager, or changes the given parameters of an existing destination.',
  fields: {
    ...COMMON_FIELDS,
    access_key_id: f
      .text('The ID of the access key. If it is empty, the access key ID of the process environment is used.')
      .optional(),
    secret_access_key: f
      .text('The secret access key. If it is empty, the secret access key of the process environment is used.')
      .optional(),
    region: f.text('The AWS region. If it is empty, the region of the process environment is used.').optional(),
    ...TAGS_FIELD,
  },
  returns: SHOWN_DESTINATION,
  exists: destinationExists('cloud-a-sm'),
  run: (tx, { access_key_id, secret_access_key, region, ...common }) =>
    writeDestination(tx, 'cloud-a-sm', common, { access_key_id, secret_access_key, region }),
})

/**
 * @throws KernelError 400 if a required parameter is missing, if the adapter of the external store does not accept a value, or if a value
 *   is invalid for this type of external store.
 * @throws KernelError 502 if the method `validate` of the adapter fails.
 */
export const writeCloudBKv = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/cloud-b-kv/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Creates a destination in Azure Key Vault, or changes the given parameters of an existing destination.',
  fields: {
    ...COMMON_FIELDS,
    key_vault_uri: f.text('The URI of the key vault. Required for a new destination.').optional(),
    client_id: f.text('The ID of the Azure application that pushes the secrets. Required for a new destination.').optional(),
    client_secret: f.text('The client secret of the Azure application. Required for a new destination.').optional(),
    tenant_id: f.text('The ID of the Azure tenant. Required for a new destination.').optional(),
    cloud: f.text('The Azure cloud. The default is `cloud`, the public cloud.').optional(),
    ...TAGS_FIELD,
  },
  returns: SHOWN_DESTINATION,
  exists: destinationExists('cloud-b-kv'),
  run: (tx, { key_vault_uri, client_id, client_secret, tenant_id, cloud, ...common }) =>
    writeDestination(tx, 'cloud-b-kv', common, { key_vault_uri, client_id, client_secret, tenant_id, cloud }),
})

/**
 * @throws KernelError 400 if a required parameter is missing, if the adapter of the external store does not accept a value, or if a value
 *   is invalid for this type of external store.
 * @throws KernelError 502 if the method `validate` of the adapter fails.
 */
export const writeCloudCSm = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/cloud-c-sm/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Creates a destination in Google Secret Manager, or changes the given parameters of an existing destination.',
  fields: {
    ...COMMON_FIELDS,
    credentials: f.text('The JSON text of a Google service account key. Required for a new destination.').optional(),
    ...TAGS_FIELD,
  },
  returns: SHOWN_DESTINATION,
  exists: destinationExists('cloud-c-sm'),
  run: (tx, { credentials, ...common }) => writeDestination(tx, 'cloud-c-sm', common, { credentials }),
})

/**
 * @throws KernelError 400 if a required parameter is missing, if the adapter of the external store does not accept a value, or if a value
 *   is invalid for this type of external store.
 * @throws KernelError 502 if the method `validate` of the adapter fails.
 */
export const writeRepohost = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/repohost/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary:
    'Creates a destination that pushes to the GitHub Actions secrets of a repository, or changes the given parameters of an existing destination.',
  fields: {
    ...COMMON_FIELDS,
    access_token: f
      .text('A GitHub token with permission to write the secrets of the repository. Required for a new destination.')
      .optional(),
    repository_owner: f.text('The owner of the repository. Required for a new destination.').optional(),
    repository_name: f.text('The name of the repository. Required for a new destination.').optional(),
    ...TAGS_FIELD,
  },
  returns: SHOWN_DESTINATION,
  exists: destinationExists('repohost'),
  run: (tx, { access_token, repository_owner, repository_name, ...common }) =>
    writeDestination(tx, 'repohost', common, { access_token, repository_owner, repository_name }),
})

/**
 * @throws KernelError 400 if a required parameter is missing, if the adapter of the external store does not accept a value, or if a value
 *   is invalid for this type of external store.
 * @throws KernelError 502 if the method `validate` of the adapter fails.
 */
export const writeWebhostProject = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/webhost-project/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary:
    'Creates a destination that pushes to the environment variables of a Vercel project, or changes the given parameters of an existing destination.',
  fields: {
    ...COMMON_FIELDS,
    access_token: f
      .text('A Vercel token with permission to write the environment variables of the project. Required for a new destination.')
      .optional(),
    project_id: f.text('The ID of the Vercel project. Required for a new destination.').optional(),
    team_id: f
      .text('The ID of the Vercel team to which the project belongs. Empty if the project belongs to no team.')
      .optional(),
    deployment_environments: f
      .list(
        'The environments that get the variables: one or more of `development`, `preview` and `production`. Required for a new destination.',
        16,
      )
      .optional(),
    ...TAGS_FIELD,
  },
  returns: SHOWN_DESTINATION,
  exists: destinationExists('webhost-project'),
  run: (tx, { access_token, project_id, team_id, deployment_environments, ...common }) =>
    writeDestination(tx, 'webhost-project', common, {
      access_token,
      project_id,
      team_id,
      deployment_environments: deployment_environments && environmentsIn(deployment_environments),
    }),
})
