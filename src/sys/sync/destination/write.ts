/**
 * POST destinations/<type>/:name, one for each type (spec document 2, "Secret sync"): makes a destination, or changes what is named of one.
 */
import { base62 } from '../../../core/base/identifiers.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { storeOf } from '../ports.ts'
import { DESTINATION, type Destination, destinationId } from '../records.ts'
import { type SyncType, TYPE_IN_PATH } from '../types.ts'
import { scheduleWalk } from '../work/walk.ts'
import { checkCredentials, isAmbient } from './ambient.ts'
import { environmentsIn } from './environments.ts'
import { COMMON, SHOWN, type ShownDestination, TAGS } from './fields.ts'
import { judgeConfig, judgeTags, markOf } from './judge.ts'
import { KINDS_OF_STORE, MASK } from './kinds.ts'
import { readTemplate } from './name-template.ts'
import { shownDestination, templateOf } from './shown.ts'

interface Given {
  readonly name: string
  readonly granularity?: 'secret-path' | 'secret-key' | undefined
  readonly secret_name_template?: string | undefined
  readonly custom_tags?: Readonly<Record<string, string>> | undefined
}

const exists =
  (type: SyncType) =>
  (tx: Tx, { name = '' }: Readonly<Record<string, string>>): boolean =>
    tx.get(DESTINATION, destinationId({ namespace: tx.call.namespace.uuid, type, name })) !== undefined

function write(tx: Tx, type: SyncType, common: Given, given: Readonly<Record<string, unknown>>): ShownDestination {
  const store = storeOf(tx.env, type)
  const { name } = common
  const id = destinationId({ namespace: tx.call.namespace.uuid, type, name })
  const old = tx.get(DESTINATION, id)
  const config = configured(type, old, given)
  const { ambient_in: _, ...before } = old ?? {}
  const record: Destination = {
    ...before,
    config,
    granularity: common.granularity ?? old?.granularity ?? store.rules.granularityDefault,
    template: common.secret_name_template ?? old?.template ?? '',
    custom_tags: common.custom_tags ?? old?.custom_tags ?? {},
    generation: tx.once('generation', async () => base62(tx.env.entropy, 16)),
    ...(isAmbient(store, config) && { ambient_in: tx.call.namespace.path }),
  }
  readTemplate(templateOf(record, { type }, tx.env), record.granularity)
  judgeTags(store, record.custom_tags, markOf(tx.env.ciphertextPrefix))
  judgeConfig(store, config)
  checkCredentials(store, config, tx.call.namespace.path)
  tx.put(DESTINATION, id, record)
  if (old) scheduleWalk(tx, id, old.ending ? 'end' : isElsewhere(type, old, record) ? 'all' : 'failed')
  tx.event('sync_destination.written', { destination: `${type}/${name}` })
  return shownDestination(tx.env, id, record)
}

function configured(
  type: SyncType,
  old: Destination | undefined,
  given: Readonly<Record<string, unknown>>,
): Destination['config'] {
  const { defaults, masked } = KINDS_OF_STORE[type]
  // Whoever writes back what was shown has not named the credentials.
  const named = Object.entries(given).filter(
    ([field, value]) => value !== undefined && !(masked.includes(field) && value === MASK),
  )
  return { ...defaults, ...old?.config, ...Object.fromEntries(named) }
}

/** Other tags, or anything beside credentials: what is known to be outside may be at another place. */
function isElsewhere(type: SyncType, old: Destination, record: Destination): boolean {
  const { masked } = KINDS_OF_STORE[type]
  const place = ({ config, custom_tags }: Destination) =>
    JSON.stringify([...entriesOf(config).filter(([field]) => !masked.includes(field)), entriesOf(custom_tags)])
  return place(old) !== place(record)
}

const entriesOf = (object: Readonly<Record<string, unknown>>) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))

export const writeCloudASm = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/cloud-a-sm/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Makes a destination in AWS Secrets Manager, or changes what is named of one.',
  fields: {
    ...COMMON,
    access_key_id: f.text('The id of an access key. Empty: the environment’s.').optional(),
    secret_access_key: f.text('The access key. Empty: the environment’s.').optional(),
    region: f.text('The region. Empty: the environment’s.').optional(),
    ...TAGS,
  },
  returns: SHOWN,
  exists: exists('cloud-a-sm'),
  run: (tx, { access_key_id, secret_access_key, region, ...common }) =>
    write(tx, 'cloud-a-sm', common, { access_key_id, secret_access_key, region }),
})

export const writeCloudBKv = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/cloud-b-kv/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Makes a destination in Azure Key Vault, or changes what is named of one.',
  fields: {
    ...COMMON,
    key_vault_uri: f.text('The URI of the vault. Required.').optional(),
    client_id: f.text('The id of the application. Required.').optional(),
    client_secret: f.text('Its secret. Required.').optional(),
    tenant_id: f.text('The id of the tenant. Required.').optional(),
    cloud: f.text('Which of Azure’s clouds; `cloud`, the default, is the public one.').optional(),
    ...TAGS,
  },
  returns: SHOWN,
  exists: exists('cloud-b-kv'),
  run: (tx, { key_vault_uri, client_id, client_secret, tenant_id, cloud, ...common }) =>
    write(tx, 'cloud-b-kv', common, { key_vault_uri, client_id, client_secret, tenant_id, cloud }),
})

export const writeCloudCSm = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/cloud-c-sm/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Makes a destination in Google Secret Manager, or changes what is named of one.',
  fields: {
    ...COMMON,
    credentials: f.text('The JSON of a service account’s key. Required.').optional(),
    ...TAGS,
  },
  returns: SHOWN,
  exists: exists('cloud-c-sm'),
  run: (tx, { credentials, ...common }) => write(tx, 'cloud-c-sm', common, { credentials }),
})

export const writeRepohost = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/repohost/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Makes a destination in the secrets of GitHub Actions, or changes what is named of one.',
  fields: {
    ...COMMON,
    access_token: f.text('A token that may write secrets of the repository. Required.').optional(),
    repository_owner: f.text('The owner of the repository. Required.').optional(),
    repository_name: f.text('The name of the repository. Required.').optional(),
    ...TAGS,
  },
  returns: SHOWN,
  exists: exists('repohost'),
  run: (tx, { access_token, repository_owner, repository_name, ...common }) =>
    write(tx, 'repohost', common, { access_token, repository_owner, repository_name }),
})

export const writeWebhostProject = operation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/destinations/webhost-project/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Makes a destination in the environment of a Vercel project, or changes what is named of one.',
  fields: {
    ...COMMON,
    access_token: f.text('A token that may write the environment of the project. Required.').optional(),
    project_id: f.text('The id of the project. Required.').optional(),
    team_id: f.text('The id of the team, where the project belongs to one.').optional(),
    deployment_environments: f
      .list('Of `development`, `preview` and `production` those that it is for; at least one.', 16)
      .optional(),
    ...TAGS,
  },
  returns: SHOWN,
  exists: exists('webhost-project'),
  run: (tx, { access_token, project_id, team_id, deployment_environments, ...common }) =>
    write(tx, 'webhost-project', common, {
      access_token,
      project_id,
      team_id,
      deployment_environments: deployment_environments && environmentsIn(deployment_environments),
    }),
})
