/** Creates tokens. The creation is authorized by key shares instead of a token. */
import { decodeToken } from './decode-token.ts'
import { generateOperationToken as operationToken, generateRoot as rootToken } from './generate.ts'
import { deleteToken } from './operation-token.ts'

export const generateRoot = { ...rootToken, decodeToken }
export const generateOperationToken = { ...operationToken, deleteToken }

/** The operations for root tokens, and those for operation tokens under names that differ from them. */
export const generateTokenPathOperations = {
  ...generateRoot,
  readOperationTokenStatus: operationToken.readStatus,
  initOperationToken: operationToken.init,
  cancelOperationToken: operationToken.cancel,
  updateOperationToken: operationToken.update,
  deleteOperationToken: deleteToken,
}
