import { Layer } from "effect"
import { isInNetworks } from "../../http/server/AllowedNetworks.ts"
import { Networks } from "../../services/guard/Networks.ts"

export const NetworksNode = Layer.succeed(Networks, { isIn: isInNetworks })
