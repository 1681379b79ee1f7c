package io.ishbase.dist.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.dist.CliException;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AddressesTest {
  @TempDir private Path dir;

  private Addresses addresses() throws IOException {
    return Addresses.in(dir.resolve("addresses.properties"));
  }

  @Test
  void portsStayFromOneStartToTheNextUnlessAnotherHasOne() throws IOException {
    Network network = new LoopbackNetwork();
    Ports ports = addresses().ports(network);
    addresses().keep(network, ports);

    Ports again = addresses().ports(network);
    for (Ports.Port port : Ports.Port.values()) {
      assertThat(again.of(port)).isEqualTo(ports.of(port)).isBetween(20_000, 31_999);
    }
    int number = ports.of(Ports.Port.ZOOKEEPER);
    try (ServerSocket other = new ServerSocket(number)) {
      assertThatThrownBy(() -> addresses().ports(network))
          .isInstanceOf(CliException.class)
          .hasMessageContaining("Port " + number + " (ZOOKEEPER)")
          .hasMessageContaining("end that, or delete " + dir);
    }
  }

  @Test
  void portsThatAnEarlierVersionDidNotKeepAreChosen() {
    Properties state = new Properties();
    Ports.free().save(state);
    state.remove("port.DATANODE_3");
    Ports ports = Ports.open(state);
    assertThat(ports.of(Ports.Port.DATANODE_3)).isBetween(20_000, 31_999);
    assertThat(ports.of(Ports.Port.ISSN_3))
        .isEqualTo(Integer.parseInt(state.getProperty("port.ISSN_3")));
  }

  @Test
  void aNetworkKeepsItsAddressesWhateverTheNumberOfItsNodes() throws IOException {
    Network network = addresses().network(false, new NetworkNodes(1, 2, 0));
    addresses().keep(network, Ports.usual());
    addresses().keep(new LoopbackNetwork(), Ports.free());

    Network again = addresses().network(false, new NetworkNodes(3, 3, 1));
    assertThat(again.clientAddress()).isEqualTo(network.clientAddress());
    assertThat(again.computeAddress()).isEqualTo(network.computeAddress());
    assertThat(again.storageAddress(2)).isEqualTo(network.storageAddress(2));
    assertThat(
            List.of(
                again.storageAddress(3),
                again.compactionServerAddress(1),
                again.computeAddress(),
                again.storageAddress(2)))
        .doesNotHaveDuplicates();
    assertThat(addresses().network(true, new NetworkNodes(1, 2, 0)).hasOwnPorts()).isFalse();
  }
}
