/** EC2's refusal of a request: code, message and HTTP status. Codes: "Error codes for the Amazon EC2 API". */
export class Ec2Refusal extends Error {
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'Ec2Refusal';
    this.code = code;
    this.status = status;
  }
}

/** A required parameter is missing. @param name as on the wire, e.g. `InstanceId` */
export function missingParameter(name: string): Ec2Refusal {
  return new Ec2Refusal('MissingParameter', `The request must contain the parameter ${name}`);
}

export function invalidValue(message: string): Ec2Refusal {
  return new Ec2Refusal('InvalidParameterValue', message);
}
