/** Extensions of Envoy proxies. Only the built-in extensions are accepted. */
import { bool, checkWord, free, list, record, text, withAlias } from '../members/index.ts'

const BUILT_IN = [
  'builtin/aws/lambda',
  'builtin/ext-authz',
  'builtin/http/localratelimit',
  'builtin/lua',
  'builtin/otel-access-logging',
  'builtin/property-override',
  'builtin/wasm',
]

const extension = record(
  {
    Name: text(),
    Required: bool(),
    Arguments: free(),
    ConsulVersion: withAlias(text(), null),
    EnvoyVersion: withAlias(text(), null),
  },
  { rule: ({ Name = '' }, path) => checkWord(BUILT_IN, Name, `${path}.Name`) },
)

export const ENVOY_EXTENSIONS = list(extension)
