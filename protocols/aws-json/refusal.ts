/** The refusal of a request by a service that uses AWS JSON. */
export class JsonRefusal extends Error {
  /** Absolute shape id of the error, e.g. `com.amazonaws.sqs#QueueDoesNotExist`. */
  readonly type: string;
  /** The error code in the query protocol that the service used before, e.g. `AWS.SimpleQueueService.NonExistentQueue`. */
  readonly queryCode: string;
  /** The HTTP status. */
  readonly status: number;

  constructor(type: string, queryCode: string, message: string, status = 400) {
    super(message);
    this.name = 'JsonRefusal';
    this.type = type;
    this.queryCode = queryCode;
    this.status = status;
  }
}

/** The body is not a JSON object, or a member does not have the type in the service's model. */
export function serializationRefusal(message: string): JsonRefusal {
  return new JsonRefusal('com.amazon.coral.service#SerializationException', 'MalformedInput', message);
}

/** The service has no such operation, or this world does not emulate it. */
export function unknownOperation(target: string): JsonRefusal {
  return new JsonRefusal('com.amazon.coral.service#UnknownOperationException', 'InvalidAction', `The operation ${target} is not known.`);
}
