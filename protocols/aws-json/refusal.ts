/** A service that speaks AWS JSON refuses a request. */
export class JsonRefusal extends Error {
  /** Absolute shape id of the error, e.g. `com.amazonaws.sqs#QueueDoesNotExist`. */
  readonly type: string;
  /** The code of the query protocol that the service spoke before, e.g. `AWS.SimpleQueueService.NonExistentQueue`. */
  readonly queryCode: string;
  /** Of HTTP. */
  readonly status: number;

  constructor(type: string, queryCode: string, message: string, status = 400) {
    super(message);
    this.name = 'JsonRefusal';
    this.type = type;
    this.queryCode = queryCode;
    this.status = status;
  }
}

/** The body is no JSON object, or a member has another type than the service's model says. */
export function serializationRefusal(message: string): JsonRefusal {
  return new JsonRefusal('com.amazon.coral.service#SerializationException', 'MalformedInput', message);
}

/** The service has no such operation, or this world does not emulate it. */
export function unknownOperation(target: string): JsonRefusal {
  return new JsonRefusal('com.amazon.coral.service#UnknownOperationException', 'InvalidAction', `The operation ${target} is not known.`);
}
